// Shows how far tasks are, and loads the page again when one ends.

const PERIOD_MS = 500;

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
      location.reload();
      return;
    }
    bar.value = task.progress;
    label.textContent = task.state === "running" ? `${element.dataset.doing} …` : "Waiting for its turn …";
  }
}

for (const element of document.querySelectorAll("[data-task]")) follow(element);
