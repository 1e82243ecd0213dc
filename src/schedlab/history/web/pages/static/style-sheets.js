// Goes before Bokeh. Bokeh styles its parts by <style> elements, which our content security policy refuses.
// What it gets instead hands the same rules to the shadow root as a constructed style sheet.
class Sheet extends HTMLElement {
  #sheet = new CSSStyleSheet();
  #text = "";
  #root = null;

  get textContent() { return this.#text; }
  set textContent(text) {
    this.#text = text;
    this.#sheet.replaceSync(text);
  }

  connectedCallback() {
    this.hidden = true;
    this.#root = this.getRootNode();
    this.#root.adoptedStyleSheets.push(this.#sheet);
  }

  disconnectedCallback() {
    const sheets = this.#root.adoptedStyleSheets;
    const at = sheets.indexOf(this.#sheet);
    if (at >= 0) sheets.splice(at, 1);
  }
}
customElements.define("style-sheet", Sheet);
const create = document.createElement.bind(document);
document.createElement = (tag, ...rest) => create(tag === "style" ? "style-sheet" : tag, ...rest);
