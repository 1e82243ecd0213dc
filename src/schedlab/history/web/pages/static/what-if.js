// Sliders beside number fields, and how many policies are picked. The form works without it.

/** Keep a slider and its number field at the same value; the last stop may leave the field empty. */
function pair(slider) {
  const field = document.getElementById(slider.dataset.for);
  const stops = slider.dataset.stops.split(" ");
  const told = () => slider.setAttribute("aria-valuetext", field.value || slider.dataset.usual);
  slider.addEventListener("input", () => {
    field.value = stops[slider.value];
    told();
  });
  field.addEventListener("input", () => {
    const value = Number(field.value);
    const last = stops.length - 1;
    const distance = (stop) => (stop === "" ? Infinity : Math.abs(Number(stop) - value));
    const nearest = stops.reduce((best, stop, at) => (distance(stop) < distance(stops[best]) ? at : best), 0);
    slider.value = field.value === "" && stops[last] === "" ? last : nearest;
    told();
  });
  slider.hidden = false;
  told();
}

document.querySelectorAll("input[type=range][data-for]").forEach(pair);

const said = document.querySelector("[data-picked]");
if (said) {
  const form = said.closest("form");
  const most = Number(said.dataset.most);
  const ticked = (name) => form.querySelectorAll(`input[name="${name}"]:checked`).length;
  const count = () => {
    const [orders, backfills] = [ticked("order"), ticked("backfilling")];
    const combined = orders + backfills ? Math.max(orders, 1) * Math.max(backfills, 1) : 0;
    const names = form.elements.policies.value.split(/\s+/).filter(Boolean).length;
    const all = combined + ticked("evolved") + names;
    const fault = all > most ? ` Take at most ${most}.` : all ? "" : " Pick at least one.";
    said.textContent = `${all} ${all === 1 ? "policy" : "policies"}: each order goes with each way to backfill.${fault}`;
    said.classList.toggle("bad", fault !== "");
  };
  form.addEventListener("input", count);
  count();
}
