// The part of the development agent that reports the outline of the view's document: roles, names and
// states as assistive technology gets them, and tags for the rest.

/** The outline, one element on each line, indented. A view can forge it. */
export interface OutlineReport {
  kind: "outline";
  text: string;
}

/** Sent as text, so it may not use anything outside itself. */
export function watchOutline(report: (one: OutlineReport) => void): void {
  const LONGEST = 12_000;
  const DEEPEST = 60;
  const DELAY = 400;
  const later = setTimeout;
  const ROLES: Record<string, string> = {
    a: "link",
    article: "article",
    aside: "complementary",
    button: "button",
    dialog: "dialog",
    footer: "contentinfo",
    form: "form",
    header: "banner",
    h1: "heading 1",
    h2: "heading 2",
    h3: "heading 3",
    h4: "heading 4",
    h5: "heading 5",
    h6: "heading 6",
    img: "img",
    input: "textbox",
    li: "listitem",
    main: "main",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    section: "region",
    select: "combobox",
    svg: "graphics",
    table: "table",
    td: "cell",
    textarea: "textbox",
    th: "columnheader",
    tr: "row",
    ul: "list",
  };
  const SKIPPED = /^(?:script|style|template|noscript|head|br)$/;
  const STATES = ["checked", "disabled", "expanded", "selected", "pressed", "current", "invalid"];
  const stateOf = (element: Element): string =>
    STATES.filter((state) => {
      const aria = element.getAttribute(`aria-${state}`);
      return aria === null
        ? (element as unknown as Record<string, unknown>)[state] === true
        : aria !== "false";
    })
      .map((state) => ` [${state}]`)
      .join("");
  const nameOf = (element: Element): string => {
    const label = element.getAttribute("aria-label") ?? element.getAttribute("alt");
    const { labels } = element as HTMLInputElement;
    const given = label ?? labels?.[0]?.textContent ?? element.getAttribute("placeholder") ?? "";
    return given.replace(/\s+/g, " ").trim().slice(0, 120);
  };
  const ownText = (element: Element): string =>
    [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ nodeValue }) => nodeValue ?? "")
      .join(" ")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 120);
  const isHidden = (element: Element): boolean =>
    SKIPPED.test(element.localName) ||
    element.getAttribute("aria-hidden") === "true" ||
    element.checkVisibility?.({ visibilityProperty: true }) === false;
  const roleOf = (element: Element): string => {
    const type = element.localName === "input" ? element.getAttribute("type") : null;
    const isBox = type === "checkbox" || type === "radio";
    return element.getAttribute("role") ?? (isBox ? type : ROLES[element.localName]) ?? "";
  };
  const lineOf = (element: Element): string => {
    const role = roleOf(element);
    const name = nameOf(element);
    const text = ownText(element);
    if (!role && !name && !text) return "";
    const words = text && text !== name ? `: ${text}` : "";
    return `${role || element.localName}${name && ` "${name}"`}${stateOf(element)}${words}`;
  };
  const outline = (): string => {
    const lines: string[] = [];
    let size = 0;
    const walk = (element: Element, depth: number): void => {
      if (size > LONGEST || depth > DEEPEST || isHidden(element)) return;
      const line = lineOf(element);
      if (line) lines.push(`${"  ".repeat(depth)}${line}`);
      size += line.length + 1;
      for (const child of element.shadowRoot?.children ?? element.children)
        walk(child, line ? depth + 1 : depth);
    };
    for (const child of document.body?.children ?? []) walk(child, 0);
    return lines.join("\n").slice(0, LONGEST);
  };
  let isDue = false;
  let last = "";
  const tell = (): void => {
    isDue = false;
    try {
      const text = outline();
      if (text !== last) report({ kind: "outline", text });
      last = text;
    } catch {
      // A view may have replaced what this needs.
    }
  };
  const noteChange = (): void => {
    if (isDue) return;
    isDue = true;
    later(tell, DELAY);
  };
  new MutationObserver(noteChange).observe(document, {
    childList: true,
    subtree: true,
    characterData: true,
    attributes: true,
  });
  addEventListener("change", noteChange, true);
  addEventListener("load", noteChange);
}
