// Fills figures with what their URLs give, and again in finer steps when one is zoomed.
import { draw } from "./figures.js";

const PATIENCE_MS = 250; // after the last change of a range
const sections = [...document.querySelectorAll("section.timeline")];
const shown = new Map(); // from the section to its range and its sources

/** Columns as Bokeh wants them: what is unknown is NaN, which JSON cannot say. */
function columns(section, source) {
  const { scale, offset } = section.dataset;
  const moved = (second) => (second + Number(offset)) * Number(scale);
  return Object.fromEntries(
    Object.entries(source).map(([name, values]) => [
      name,
      values.map((value) => (value === null ? NaN : name === "t" ? moved(value) : value)),
    ]),
  );
}

/** Whether there is anything to draw. */
const hasValues = (data) => (data.v ?? data.intensity ?? []).some((value) => !Number.isNaN(value));

const figures = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 3 });
const written = (value) => (value === undefined || Number.isNaN(value) ? "–" : figures.format(value));

/** The least, the mean over time and the greatest of a line. */
function summary(t, values) {
  let [sum, length] = [0, 0];
  values.forEach((value, at) => {
    const lasts = (t[at + 1] ?? t[at]) - t[at];
    if (Number.isNaN(value) || !(lasts > 0)) return;
    sum += value * lasts;
    length += lasts;
  });
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = length ? sum / length : known[0];
  return known.length ? [Math.min(...known), mean, Math.max(...known)] : [NaN, NaN, NaN];
}

/** The points of a roofline, by the node that they are of. */
function means({ of, intensity, gflop_per_s }) {
  const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;
  return [...new Set(of)].map((name) => {
    const at = of.flatMap((each, place) => (each === name ? [place] : []));
    return [name, mean(at.map((place) => intensity[place])), mean(at.map((place) => gflop_per_s[place]))];
  });
}

/** What the figure shows, for those who do not see it. */
function tabulate(section, sources) {
  const names = [...section.querySelectorAll(".legend li")].map((line) => line.dataset.name);
  const rows = sources.flatMap(({ data }, line) => {
    if (data.intensity) return means(data);
    if (data.low) return [["least of all", data.low], ["median", data.v], ["greatest of all", data.high]]
      .map(([name, values]) => [name, ...summary(data.t, values)]);
    return [[names[line], ...summary(data.t, data.v)]];
  });
  section.querySelector("details.values tbody").replaceChildren(...rows.map(([name, ...values]) => {
    const row = document.createElement("tr");
    const head = Object.assign(document.createElement("th"), { scope: "row", textContent: name });
    const cells = values.map((value) =>
      Object.assign(document.createElement("td"), { className: "number", textContent: written(value) }));
    row.append(head, ...cells);
    return row;
  }));
}

/** Fetch what belongs into the range and show it; the newest question counts. */
async function fill(section) {
  const { range, sources, note } = shown.get(section);
  const url = new URL(section.dataset.url, location.href);
  if ("start" in section.dataset) {
    const { scale, offset } = section.dataset;
    url.searchParams.set("from_s", range.start / scale - offset);
    url.searchParams.set("to_s", range.end / scale - offset);
    url.searchParams.set("points", Math.min(2000, Math.max(200, Math.round(section.clientWidth))));
  }
  const asked = String(url);
  section.dataset.asked = asked;
  section.setAttribute("aria-busy", "true");
  let said;
  try {
    const answer = await fetch(asked, { headers: { accept: "application/json" } });
    const content = await answer.json();
    if (section.dataset.asked !== asked) return;
    said = answer.ok ? content.note : `Not to be had: ${content.detail}.`;
    for (const source of sources) {
      if (content.sources?.[source.name]) source.data = columns(section, content.sources[source.name]);
    }
    tabulate(section, sources);
    section.toggleAttribute("data-empty", !sources.some(({ data }) => hasValues(data)));
  } catch {
    if (section.dataset.asked !== asked) return;
    said = "The service did not answer.";
  }
  note.textContent = said;
  section.removeAttribute("aria-busy");
  section.dataset.filled = Number(section.dataset.filled ?? 0) + 1;
  settle();
}

let waiting = 0;

/** All figures of a job show the same time. */
function follow(range) {
  for (const other of shown.values()) {
    if (other.zooms && other.range !== range && (other.range.start !== range.start || other.range.end !== range.end)) {
      other.range.setv({ start: range.start, end: range.end });
    }
  }
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    for (const [section, { zooms }] of shown) if (zooms) fill(section);
  }, PATIENCE_MS);
  settle();
}

/** The values at a place of the axis, beside the names of their lines; at none, nothing. */
function readOut(section, x) {
  const { sources } = shown.get(section);
  const isTime = Number(section.dataset.scale) > 1;
  const place = isTime ? new Date(x || 0).toISOString().slice(0, 19).replace("T", " ") : `${figures.format(x)} %`;
  section.querySelector(".at").textContent = Number.isNaN(x) ? "" : place;
  section.querySelectorAll(".value").forEach((value, line) => {
    const { t, low, v, high } = sources[line].data;
    const at = t.findLastIndex((each) => each <= x);
    const known = (low ? [low[at], v[at], high[at]] : [v[at]]).filter((each) => !Number.isNaN(each ?? NaN));
    value.textContent = known.length ? `${known.map(figures.format).join(" – ")} ${section.dataset.unit}` : "";
  });
}

/** One line is hidden or shown; another that it lay upon can then be seen. */
function toggle(section, button, line) {
  const isOn = button.getAttribute("aria-pressed") === "true";
  button.setAttribute("aria-pressed", String(!isOn));
  const renderer = shown.get(section)?.lines?.[line];
  if (renderer) renderer.visible = !isOn;
}

/** Whether there is a point to draw: without any, logarithmic axes complain. */
async function isMeasured(section) {
  const answer = await fetch(section.dataset.url, { headers: { accept: "application/json" } });
  if (!answer.ok) return true; // what is wrong is told where the figure is filled
  const { sources } = await answer.json();
  const isKnown = Object.values(sources ?? {}).some(({ intensity }) => intensity?.some((each) => each !== null));
  section.toggleAttribute("data-empty", !isKnown);
  if (!isKnown) section.dataset.filled = 1;
  return isKnown;
}

async function show(section) {
  if (shown.has(section)) return;
  shown.set(section, { range: null, sources: [], zooms: false });
  if (!("start" in section.dataset) && !(await isMeasured(section))) return;
  const bokeh = await draw(section.querySelector("figure"));
  const models = [...bokeh._all_models.values()];
  const figure = models.find((model) => model.type === "Figure");
  const entry = {
    range: figure.x_range,
    whole: { start: Number(section.dataset.start), end: Number(section.dataset.end) },
    sources: models
      .filter((model) => model.type === "ColumnDataSource" && model.name)
      .sort((one, other) => one.name.localeCompare(other.name)),
    lines: figure.renderers.filter((model) => model.type === "GlyphRenderer"),
    note: section.querySelector(".note"),
    zooms: "start" in section.dataset,
  };
  shown.set(section, entry);
  if (entry.zooms) {
    const first = [...shown.values()].find((other) => other.zooms && other.range && other !== entry);
    const { start, end } = first?.range ?? entry.whole;
    entry.range.setv({ start, end });
    entry.range.change.connect(() => follow(entry.range));
    figure.on_event("mousemove", ({ x }) => readOut(section, x));
    figure.on_event("mouseleave", () => readOut(section, NaN));
    if (matchMedia("(pointer: coarse)").matches) figure.toolbar.active_drag = null; // a finger scrolls
  }
  await fill(section);
}

const MOVES = {
  in: ({ start, end }) => [start + (end - start) / 4, end - (end - start) / 4],
  out: ({ start, end }) => [start - (end - start) / 2, end + (end - start) / 2],
  earlier: ({ start, end }) => [start - (end - start) / 2, end - (end - start) / 2],
  later: ({ start, end }) => [start + (end - start) / 2, end + (end - start) / 2],
  whole: () => [-Infinity, Infinity],
};

/** Buttons that would change nothing say so; where nothing was measured there is nothing to zoom. */
function settle() {
  const entry = [...shown.values()].find(({ zooms, range }) => zooms && range);
  if (!entry) return;
  const { range, whole } = entry;
  const isAt = ({ start, end }) => // but for what rounding makes of it
    Math.max(Math.abs(start - range.start), Math.abs(end - range.end)) < 1e-6 * (end - start);
  for (const button of document.querySelectorAll("button[data-zoom]")) {
    button.setAttribute("aria-disabled", String(isAt(moved(range, whole, button.dataset.zoom))));
  }
  const open = sections.filter((each) => "start" in each.dataset && !isFolded(each));
  const isEmpty = isAt(whole) && open.every((each) => each.hasAttribute("data-empty"));
  for (const each of document.querySelectorAll(".zoom, .of-zoom")) each.hidden = isEmpty;
}

/** The range after a move, as long as it can be within the whole. */
function moved(range, whole, move) {
  const [start, end] = MOVES[move](range);
  const length = Math.min(end - start, whole.end - whole.start);
  const first = Math.min(Math.max(start, whole.start), whole.end - length);
  return { start: first, end: first + length };
}

for (const button of document.querySelectorAll("button[data-zoom]")) {
  button.addEventListener("click", () => {
    const entry = [...shown.values()].find(({ zooms, range }) => zooms && range);
    if (entry) entry.range.setv(moved(entry.range, entry.whole, button.dataset.zoom));
  });
}

for (const section of sections) {
  section.querySelectorAll(".legend button").forEach((button, line) => {
    button.addEventListener("click", () => toggle(section, button, line));
  });
}

const isFolded = (section) => section.closest("details:not([open])") !== null;
for (const details of document.querySelectorAll("details.more")) {
  details.addEventListener("toggle", () => sections.filter((each) => details.contains(each)).forEach(show));
}
for (const section of sections) if (!isFolded(section)) show(section);
