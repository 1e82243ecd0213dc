// Keeps a part of the page up to date while somebody looks at it.

import { follow } from "./starts.js";

async function renew() {
  const shown = document.querySelector("#live");
  if (document.hidden || shown.contains(document.activeElement)) return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("#live");
  if (fresh === null || document.hidden) return;
  shown.replaceWith(fresh);
  for (const place of fresh.querySelectorAll("[data-starts]")) follow(place);
}

const live = document.querySelector("#live");
if (live !== null) setInterval(renew, 1000 * Number(live.dataset.periodS));
