// What makes a page hard to use, as a list of sentences; contrasts by WCAG 2.1.
() => {
  const faults = [];
  const tell = (element) => element.outerHTML.slice(0, 120);
  const isShown = (element) => element.checkVisibility?.({ opacityProperty: true }) ?? true;
  const nameOf = (element) =>
    element.getAttribute("aria-label") || element.textContent.trim() || element.title;
  if (document.documentElement.lang === "") faults.push("the page has no language");
  if (document.querySelectorAll("h1").length !== 1) faults.push("there is not one h1");
  let last = 1;
  for (const heading of document.querySelectorAll("h1,h2,h3,h4")) {
    const level = Number(heading.tagName[1]);
    if (level > last + 1) faults.push(`a level of headings is left out: ${tell(heading)}`);
    last = level;
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]),select,textarea")) {
    const isNamed = field.labels.length || field.getAttribute("aria-label");
    if (!isNamed && field.getAttribute("aria-hidden") !== "true")
      faults.push(`a field has no label: ${tell(field)}`);
  }
  for (const element of document.querySelectorAll("a[href],button,summary"))
    if (!nameOf(element)) faults.push(`nothing says what this does: ${tell(element)}`);
  for (const image of document.querySelectorAll("img:not([alt]),[role=img]:not([aria-label])"))
    faults.push(`a picture has no text: ${tell(image)}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const [place, id] of ids.entries())
    if (ids.indexOf(id) !== place) faults.push(`two have the id ${id}`);

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const pixel = (...colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const luminance = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((each) => {
      const share = each / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundsOf = (element) => {
    const grounds = [];
    for (let each = element; each; each = each.parentElement)
      grounds.unshift(getComputedStyle(each).backgroundColor);
    return ["white", ...grounds];
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(element) || !isShown(element)) continue;
    if (element.closest("script,option,.unseen,.skip")) continue;
    seen.add(element);
    const style = getComputedStyle(element);
    const grounds = groundsOf(element);
    const text = luminance(pixel(...grounds, style.color));
    const ground = luminance(pixel(...grounds));
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (isLarge ? 3 : 4.5))
      faults.push(`contrast ${contrast.toFixed(2)}: ${tell(element)}`);
  }
  return faults;
}
