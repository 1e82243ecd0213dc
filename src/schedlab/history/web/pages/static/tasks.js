// Shows how far tasks are, and loads the page again when one ends, unless that would lose something.

const PERIOD_MS = 500;

/** Whether somebody has typed into the field, or chosen something in it. */
function isChanged(field) {
  if (field.type === "hidden") return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((each) => each.selected !== each.defaultSelected && each.defaultSelected);
  return field.value !== field.defaultValue;
}

/** What is shown this once, what was refused, and what is being typed must not go. */
const wouldLose = () =>
  document.querySelector(".secret, .alert") !== null ||
  [...document.querySelectorAll("input, select, textarea")].some(isChanged);

async function follow(element) {
  const bar = element.querySelector("progress");
  const label = element.querySelector("label");
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, PERIOD_MS));
    const answer = await fetch(element.dataset.task, { headers: { accept: "application/json" } });
    if (!answer.ok) {
      label.textContent = "The service does not answer; load the page again.";
      return;
    }
    const task = await answer.json();
    if (task.is_finished) {
      if (!wouldLose()) location.reload();
      bar?.remove();
      label.textContent = "Done. Load the page again to see it.";
      return;
    }
    bar.value = task.progress;
    label.textContent = task.state === "running" ? `${element.dataset.doing} …` : "Waiting for its turn …";
  }
}

for (const element of document.querySelectorAll("[data-task]")) follow(element);
