// What stands in the place of a View that could not be shown. Loaded when it is needed; its words are
// there before.

/** What a failure is explained with; all of it is shown as text. */
export interface FallbackDiagnostic {
  title: string;
  cause?: string | undefined;
  remedy?: string | undefined;
  /** For whoever can help; to be copied. */
  details?: string | undefined;
}

/** Words of its buttons. */
export interface FallbackLabels {
  retry: string;
  details: string;
  copy: string;
  copied: string;
}

/** What is shown. */
export interface FallbackOptions extends Partial<FallbackDiagnostic> {
  /** What the tool answered, for those who do not see the View. */
  text: string;
  onRetry?: (() => void) | undefined;
  labels: Partial<FallbackLabels>;
}

const LABELS: FallbackLabels = {
  retry: "Try again",
  details: "Details",
  copy: "Copy",
  copied: "Copied",
};

const CSS = `
article{display:grid;gap:8px;justify-items:start;white-space:normal}
:not(.framed,:popover-open)>article{padding-inline:2px}
p,pre{margin:0}
.title{font-weight:600}
.text{white-space:pre-wrap}
.note{opacity:.75}
article button{inline-size:auto;padding-inline:12px;border:1px solid var(--line)}
details{inline-size:100%}
summary{cursor:pointer;inline-size:fit-content}
pre{white-space:pre-wrap;max-block-size:240px;overflow:auto;margin-block:8px;font:12px/1.5 ui-monospace,monospace;user-select:all}
`;

let sheet: CSSStyleSheet | undefined;

/** Fills an element of a surface. */
export function drawFallback(place: HTMLElement, options: FallbackOptions): void {
  const { title, cause, remedy, text, details, onRetry } = options;
  const labels = { ...LABELS, ...options.labels };
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  const { adoptedStyleSheets: sheets } = place.getRootNode() as ShadowRoot;
  if (!sheets.includes(sheet)) sheets.push(sheet);
  const parts: HTMLElement[] = [];
  const add = (words: string | undefined, className: string): void => {
    if (words) parts.push(Object.assign(make("p", words), { className }));
  };
  add(title, "title");
  // What the tool answered comes before why it is not seen as it should be.
  add(text, "text");
  add(cause, "note");
  add(remedy, "note");
  if (onRetry) parts.push(makeButton(labels.retry, onRetry));
  if (details) parts.push(makeDetails(details, labels));
  place.replaceChildren(...parts);
}

function makeDetails(details: string, labels: FallbackLabels): HTMLElement {
  const words = make("pre", details);
  // Scrolls, so it has to be reached by keys.
  words.tabIndex = 0;
  const copy = makeButton(labels.copy, () =>
    navigator.clipboard?.writeText(details).then(
      () => {
        copy.textContent = labels.copied;
      },
      // Not allowed here; one click selects the text.
      () => {},
    ),
  );
  copy.ariaLive = "polite";
  const element = make("details", "");
  element.append(make("summary", labels.details), words, copy);
  return element;
}

function makeButton(label: string, onclick: () => unknown): HTMLButtonElement {
  const button = make("button", label);
  button.type = "button";
  button.onclick = onclick;
  return button;
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  text: string,
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  element.dir = "auto";
  return element;
}
