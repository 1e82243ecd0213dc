// Asks for a forecast of starts where the last is old, and fills it in once it is there.

const FIRST_MS = 1000;
const LONGEST_MS = 8000; // a hundred open pages would ask a hundred times a second
const MOST = 60;

/** Put the words of each job into its place. */
function tell(place, { note, how, starts }) {
  place.querySelector(".when").textContent = note;
  place.querySelector(".how").textContent = how;
  place.querySelector("details").hidden = !how;
  for (const cell of document.querySelectorAll("[data-start-of]")) {
    const words = starts[cell.dataset.startOf];
    if (words) cell.textContent = words;
  }
}

export async function follow(place) {
  const token = document.querySelector("meta[name=form-token]").content;
  const headers = { accept: "application/json", "x-form-token": token };
  let answer = await fetch(place.dataset.starts, { method: "POST", headers });
  let pause = FIRST_MS;
  for (let asked = 0; answer.ok && asked < MOST; asked += 1) {
    const known = await answer.json();
    tell(place, known);
    if (!["waiting", "running"].includes(known.state)) break;
    place.querySelector(".when").textContent = `${known.note} ${known.how ? "A newer one" : "One"} is being computed …`;
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, LONGEST_MS);
    answer = await fetch(place.dataset.starts, { headers });
  }
  place.dataset.followed = "yes";
}

for (const place of document.querySelectorAll("[data-starts]")) follow(place);
