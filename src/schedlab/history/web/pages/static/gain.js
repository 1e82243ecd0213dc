// Asks how much sooner the job would have started, and says so once it is simulated.

const PERIOD_MS = 1000;
const MOST = 120;

/** Show the sentence, and how it was computed. */
function tell(place, { text, how }) {
  if (!text) return;
  place.querySelector(".gain").textContent = text;
  place.querySelector(".how").textContent = how;
  place.querySelector("details").hidden = false;
}

async function follow(place) {
  const token = document.querySelector("meta[name=form-token]").content;
  const headers = { accept: "application/json", "x-form-token": token };
  let answer = await fetch(place.dataset.gain, { method: "POST", headers });
  for (let asked = 0; answer.ok && asked < MOST; asked += 1) {
    const known = await answer.json();
    if (!["waiting", "running"].includes(known.state)) {
      tell(place, known);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
    answer = await fetch(place.dataset.gain, { headers });
  }
  place.dataset.followed = "yes";
}

for (const place of document.querySelectorAll("[data-gain]")) await follow(place);
