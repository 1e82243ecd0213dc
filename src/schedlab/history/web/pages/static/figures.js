// Draws the figures of a page with Bokeh, from the data that stand in it.

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Give the parts of a figure that are no data the colours of the page. */
function paint(models) {
  const page = getComputedStyle(document.documentElement);
  const [text, quiet, line, surface] = ["text", "quiet", "line", "surface"].map(
    (name) => page.getPropertyValue(`--${name}`).trim(),
  );
  for (const model of models) {
    if (model.type === "Figure" || model.type === "Plot") {
      const outline = model.outline_line_color === null ? null : line;
      model.setv({ background_fill_color: null, border_fill_color: null, outline_line_color: outline });
    } else if (model.type.endsWith("Axis")) {
      model.setv({
        axis_label_text_color: quiet, major_label_text_color: quiet, axis_line_color: line,
        major_tick_line_color: line, minor_tick_line_color: null,
      });
    } else if (model.type === "Grid") {
      if (model.grid_line_color !== null) model.setv({ grid_line_color: line });
    } else if (model.type === "Legend") {
      model.setv({ label_text_color: text, background_fill_color: surface, border_line_color: null });
    } else if (model.type === "Title") {
      model.setv({ text_color: text });
    }
  }
}

/** Draw the figure whose data stand in the element; gives its Bokeh document. */
export async function draw(element) {
  const item = JSON.parse(element.querySelector("script").textContent);
  const views = await Bokeh.embed.embed_item(item, element);
  const [view] = views.roots ?? views;
  const models = view.model.document._all_models;
  const repaint = () => paint([...models.values()]);
  repaint();
  dark.addEventListener("change", repaint);
  element.dataset.drawn = "yes";
  return view.model.document;
}

await Promise.all([...document.querySelectorAll("figure.plot")].map(draw));
