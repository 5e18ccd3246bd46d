import { useShell } from "../shell/shell.tsx";

const FIRST_LINES = 500;

/** A difference as `diff -u` writes it, line by line. */
export function Difference({ lines }: { lines: readonly string[] }) {
  const { label, format } = useShell();
  const shown = lines.filter((line) => !/^(?:Index:|=+$|diff --git|\\ )/.test(line));
  const rows = shown.slice(0, FIRST_LINES).map(toRow);
  const more = shown.length - rows.length;
  const count = (kind: Row["kind"]): string =>
    format.number(rows.filter((row) => row.kind === kind).length);
  return (
    <div class="difference">
      <p class="hidden">{label("counts", { added: count("added"), removed: count("removed") })}</p>
      <pre>
        {rows.map(({ kind, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place.
          <span key={at} class={kind}>
            {(kind === "added" || kind === "removed") && <span class="hidden">{label(kind)} </span>}
            <bdi>{text}</bdi>
            {"\n"}
          </span>
        ))}
      </pre>
      {more > 0 && <p class="faint">{label("moreLines", { count: format.number(more) })}</p>}
    </div>
  );
}

interface Row {
  kind: "file" | "hunk" | "added" | "removed" | "same";
  text: string;
}

function toRow(text: string): Row {
  if (/^(?:---|\+\+\+) /.test(text)) return { kind: "file", text };
  if (text.startsWith("@@")) return { kind: "hunk", text };
  if (text.startsWith("+")) return { kind: "added", text };
  return { kind: text.startsWith("-") ? "removed" : "same", text };
}
