import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { indentedJson } from "../json-text.ts";
import { visibleRuns } from "../visible-text.ts";

/** Text of a server or a user: never markup, hidden characters shown by their codes. */
export function Text({ value, lines = false }: { value: string; lines?: boolean }): JSX.Element {
  const runs = visibleRuns(value, { lines });
  return (
    <bdi class={lines ? "lines" : undefined}>
      {runs.map(({ text, code }, index) =>
        code ? (
          <span key={`${index}${code}`} class="code-point" title="A character that can't be seen">
            {code}
          </span>
        ) : (
          text
        ),
      )}
    </bdi>
  );
}

/** A text that is cut after so many characters, with a button that shows all of it. */
export function LongText({
  value,
  cut = 160,
  lines = false,
}: {
  value: string;
  cut?: number;
  lines?: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // A few characters more are shorter than the button.
  if (value.length <= cut + 24) return <Text value={value} lines={lines} />;
  const shown = isOpen ? value : wholeCharacters(value, cut);
  return (
    <span class="long">
      <span id={id}>
        <Text value={shown} lines={lines} />
        {!isOpen && "…"}
      </span>{" "}
      <button
        type="button"
        class="link"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? "Show less" : `Show all (${value.length.toLocaleString()} characters)`}
      </button>
    </span>
  );
}

/** The start of a text that doesn't end inside a character. */
function wholeCharacters(value: string, length: number): string {
  return value.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** Text for identifiers. */
export function Code({ value }: { value: string }): JSX.Element {
  return (
    <code>
      <Text value={value} />
    </code>
  );
}

/** JSON that can be folded. */
export function JsonBlock({ value, label }: { value: unknown; label: string }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section class="block" tabIndex={0} aria-label={label}>
      <pre>
        <LongText value={jsonText(value)} cut={4000} lines />
      </pre>
    </section>
  );
}

function jsonText(value: unknown): string {
  if (typeof value === "string") return indentedJson(value);
  try {
    return JSON.stringify(value, null, 2) ?? "";
  } catch {
    return "This value is nested too deeply to show.";
  }
}

/** A term and its value in a list of facts. */
export function Fact({
  term,
  children,
}: {
  term: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="fact">
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
