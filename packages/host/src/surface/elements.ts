/** Creates an element with properties and children; a page can style it by the name of its part. */
export function makeElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: object,
  children: Node[],
  part?: string,
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), props);
  element.append(...children);
  if (part) element.setAttribute("part", part);
  return element;
}

/** Creates an icon from the path of its lines. */
export function makeIcon(d: string): SVGElement {
  const [svg, path] = ["svg", "path"].map((tag) =>
    document.createElementNS("http://www.w3.org/2000/svg", tag),
  ) as [SVGElement, SVGElement];
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.ariaHidden = "true";
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

/** The focused element, inside open shadow roots as well. */
export function activeElement(): HTMLElement | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active as HTMLElement | null;
}

const sheets = new Map<string, CSSStyleSheet>();

/**
 * A style sheet, shared by all surfaces. It is created by script, so that no policy for style elements
 * blocks it.
 */
export function sheetOf(css: string): CSSStyleSheet {
  let sheet = sheets.get(css);
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    sheets.set(css, sheet);
  }
  return sheet;
}

/** Adds a style to the shadow root of an element, once. */
export function addStyle(element: HTMLElement, css: string): void {
  const { adoptedStyleSheets: adopted } = element.getRootNode() as ShadowRoot;
  const sheet = sheetOf(css);
  if (!adopted.includes(sheet)) adopted.push(sheet);
}
