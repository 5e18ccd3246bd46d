import { useState } from "preact/hooks";
import type { Format } from "./format.ts";
import { useShell } from "./shell-context.ts";

// A cell shows this much at once; asked for more, ten times a page. Beyond that no browser scrolls well.
const SHORT = 300;
const LONG = 20_000;

/**
 * Untrusted text: isolated, so that no direction mark in it reorders the text next to it, and cut if it
 * is too long for the page.
 */
export function Text({ value, short = SHORT }: { value: string; short?: number }) {
  const { label, format } = useShell();
  const [isOpen, setOpen] = useState(false);
  if (value.length <= short) return <bdi>{value}</bdi>;
  const shown = isOpen ? LONG : short;
  const hidden = value.length - shown;
  return (
    <>
      <bdi>{cut(value, shown)}</bdi>{" "}
      {isOpen && hidden > 0 && (
        <span class="faint">{label("charactersLeft", { count: format.number(hidden) })} </span>
      )}
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label(isOpen ? "less" : "more")}
      </button>
    </>
  );
}

/** Text in a heading, a label or a control, where no button may stand: only its beginning. */
export function Name({ value, length = 120 }: { value: string; length?: number }) {
  return <bdi>{cut(value, length)}</bdi>;
}

/** Any value, written for the Host's locale. */
export function Value({
  value,
  as,
  short,
}: {
  value: unknown;
  as?: Format | undefined;
  short?: number;
}) {
  const { format, label } = useShell();
  const { kind, text, moment } = format.write(value, as);
  if (kind === "none") {
    return (
      <span class="faint">
        <span aria-hidden="true">–</span>
        <span class="hidden">{label("none")}</span>
      </span>
    );
  }
  if (kind === "date") {
    return (
      <time dateTime={moment}>
        <bdi>{text}</bdi>
      </time>
    );
  }
  if (kind === "text" && isLink(text)) return <Link href={text} />;
  return <Text value={text} {...(short !== undefined && { short })} />;
}

/** A link out of the View: the Host opens it, and asks first. The View itself goes nowhere. */
export function Link({ href, text = shortAddress(href) }: { href: string; text?: string }) {
  const { app } = useShell();
  const open = (event: Event): void => {
    event.preventDefault();
    app.openLink({ url: href }).catch(() => {});
  };
  return (
    <a class="link" href={href} title={href} target="_blank" rel="noreferrer" onClick={open}>
      <bdi>{cut(text, 80)}</bdi>
    </a>
  );
}

/** An address as people know it: without its scheme, and not longer than a line. */
function shortAddress(href: string): string {
  return cut(href.replace(/^https:\/\/(www\.)?/, "").replace(/\/$/, ""), 48);
}

/** A whole text that is an address of the web. */
export function isLink(text: string): boolean {
  return text.length < 2000 && /^https?:\/\/[^\s<>"]+$/.test(text) && URL.canParse(text);
}

/** The beginning of a text, never half a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
