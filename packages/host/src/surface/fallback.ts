// Replaces a view that isn't shown: the tool's text result, one sentence for the user and one button.
// Developers also get the cause and the remedy. Loaded on demand; the text is shown before.

import type { Diagnostic } from "../diagnostic.ts";
import { ENGLISH_CARD } from "../messages/english-card.ts";
import type { CardMessages } from "../messages/messages.ts";
import { addStyle, makeElement } from "./elements.ts";
import { ACTIONS, failureKindOf } from "./failure-kind.ts";

/** The content to show. */
export interface FallbackOptions {
  /** The tool's result, for users who can't see the view. */
  text: string;
  diagnostic?: Diagnostic | undefined;
  /** The view's model context has been removed. */
  isContextRemoved?: boolean | undefined;
  onRetry?: (() => void) | undefined;
  messages?: Partial<CardMessages> | undefined;
  /** Shows the cause and the remedy too. */
  developer?: boolean | undefined;
}

const CSS = `
article{display:grid;gap:8px;justify-items:start;white-space:normal}
:not(.framed,:popover-open)>article{padding-inline:2px}
p,pre{margin:0}
.sentence{font-weight:600}
.text{white-space:pre-wrap}
.note{color:var(--muted)}
article button{inline-size:auto;padding-inline:12px;border:1px solid var(--line)}
details{inline-size:100%;display:grid;gap:8px}
summary{cursor:pointer;inline-size:fit-content}
details p{margin-block-start:8px}
pre{white-space:pre-wrap;max-block-size:240px;overflow:auto;margin-block:8px;font:12px/1.5 ui-monospace,monospace;user-select:all}
`;

/** Fills an element of a surface. */
export function drawFallback(place: HTMLElement, options: FallbackOptions): void {
  const { text, diagnostic, isContextRemoved, onRetry, developer } = options;
  const words = { ...ENGLISH_CARD, ...options.messages };
  addStyle(place, CSS);
  const kind = failureKindOf(diagnostic?.code);
  // While an app is being developed, it may be fixed by now.
  const action = ACTIONS[kind] ?? (developer && kind !== "noApp" ? "retry" : undefined);
  place.replaceChildren(
    ...paragraph(words.failure[kind], "sentence"),
    ...paragraph(text, "text"),
    ...paragraph(isContextRemoved ? words.contextRemoved : "", "note"),
    ...(action && onRetry ? [makeButton(words[action], onRetry)] : []),
  );
  if (developer && diagnostic) void addDetails(place, diagnostic, words).catch(() => {});
}

async function addDetails(
  place: HTMLElement,
  diagnostic: Diagnostic,
  words: CardMessages,
): Promise<void> {
  const last = place.lastChild;
  const { explainDiagnostic } = await import("../diagnostic-messages.ts");
  // Another failure, or another attempt, has replaced it.
  if (place.lastChild !== last) return;
  const { title, cause, remedy, details } = explainDiagnostic(diagnostic);
  const facts = make("pre", details);
  // It scrolls, so it must be reachable by keyboard.
  facts.tabIndex = 0;
  const everything = [title, cause, remedy, details].join("\n\n");
  const copy = makeButton(words.copy, () =>
    navigator.clipboard?.writeText(everything).then(
      () => {
        copy.textContent = words.copied;
      },
      // The clipboard isn't allowed here; one click selects the text.
      () => {},
    ),
  );
  copy.ariaLive = "polite";
  const parts = [title, cause, remedy].flatMap((part) => paragraph(part, "note"));
  const summary = make("summary", words.details);
  const element = makeElement("details", {}, [summary, ...parts, facts, copy], "details");
  // The explanation is written for developers, in English.
  for (const part of [...parts, facts]) part.lang = "en";
  place.append(element);
}

function paragraph(text: string, className: string): HTMLElement[] {
  return text ? [Object.assign(make("p", text), { className })] : [];
}

function makeButton(textContent: string, onclick: () => unknown): HTMLButtonElement {
  return makeElement("button", { type: "button", textContent, onclick }, [], "button");
}

function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  textContent: string,
): HTMLElementTagNameMap[Tag] {
  return makeElement(tag, { textContent, dir: "auto" }, []);
}
