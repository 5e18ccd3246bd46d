import type { ComponentChildren } from "preact";
import { Icon, Text, useShell } from "../shell/shell.tsx";
import type { Line, Row } from "./diff-rows.ts";
import type { Item } from "./folds.ts";
import type { LineLook } from "./line-look.ts";
import { LINE_LENGTH, type Part } from "./line-parts.ts";

export type Mode = "split" | "unified";

const UNFOLD = "M8 1.5v4M5.5 4L8 1.5L10.5 4M8 14.5v-4M5.5 12L8 14.5L10.5 12M2 8h12";

interface RowsProps {
  mode: Mode;
  items: readonly Item[];
  titles: { left: string; right: string };
  look: LineLook;
  hasNumbers: boolean;
  /** Rows that can be gone to. */
  firsts: readonly number[];
  onOpen(from: number): void;
}

/** The rows as a table: two columns of text, or one. */
export function Rows(props: RowsProps) {
  const { mode, items, titles, hasNumbers, firsts, onOpen } = props;
  const { label, format } = useShell();
  const starts = new Set(firsts);
  const width = mode === "split" ? 2 : 1;
  const columns = hasNumbers ? 4 - (mode === "split" ? 0 : 1) : width;
  return (
    <div class="frame">
      <table class={hasNumbers ? mode : `${mode} bare`}>
        <Head mode={mode} titles={titles} hasNumbers={hasNumbers} />
        <tbody>
          {items.map((item) =>
            "fold" in item ? (
              <tr key={`fold ${item.fold.from}`} class="fold">
                <td colSpan={columns}>
                  <button type="button" onClick={() => onOpen(item.fold.from)}>
                    <Icon path={UNFOLD} />
                    {label("unchanged", { count: format.number(item.fold.to - item.fold.from) })}
                  </button>
                </td>
              </tr>
            ) : (
              <tr
                key={item.index}
                id={`row-${item.index}`}
                {...(starts.has(item.index) && { tabIndex: -1 })}
              >
                {mode === "split" ? (
                  <SplitCells {...props} row={item.row} />
                ) : (
                  <UnifiedCells {...props} row={item.row} />
                )}
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Head({ mode, titles, hasNumbers }: Pick<RowsProps, "mode" | "titles" | "hasNumbers">) {
  const { label } = useShell();
  const left = <Text value={titles.left} short={120} />;
  const right = <Text value={titles.right} short={120} />;
  const number = (title: ComponentChildren) =>
    hasNumbers && (
      <th scope="col" class="number">
        <span class="hidden">
          {label("line")} {title}
        </span>
      </th>
    );
  return (
    <thead>
      <tr>
        {number(left)}
        {mode === "split" && <th scope="col">{left}</th>}
        {number(right)}
        <th scope="col">
          {mode === "split" ? (
            right
          ) : (
            <>
              {left} <span aria-hidden="true">→</span> {right}
            </>
          )}
        </th>
      </tr>
    </thead>
  );
}

type CellsProps = RowsProps & { row: Row };

function SplitCells({ row: { same, left, right }, look, hasNumbers }: CellsProps) {
  return (
    <>
      {hasNumbers && <NumberCell line={left} kind={!same && left && "removed"} />}
      <TextCell line={left} kind={!same && "removed"} look={look} />
      {hasNumbers && <NumberCell line={right} kind={!same && right && "added"} />}
      <TextCell line={right} kind={!same && "added"} look={look} />
    </>
  );
}

function UnifiedCells({ row: { same, left, right }, look, hasNumbers }: CellsProps) {
  const kind = !same && (left ? "removed" : "added");
  return (
    <>
      {hasNumbers && <NumberCell line={left} kind={kind} />}
      {hasNumbers && <NumberCell line={right} kind={kind} />}
      <TextCell line={right ?? left} kind={kind} look={look} />
    </>
  );
}

type Kind = "added" | "removed" | false | undefined;

function NumberCell({ line, kind }: { line: Line | undefined; kind: Kind }) {
  return <td class={kind ? `number ${kind}` : "number"}>{line?.number}</td>;
}

function TextCell({ line, kind, look }: { line: Line | undefined; kind: Kind; look: LineLook }) {
  const { label, format } = useShell();
  if (!line) return <td class="text none" />;
  const more = line.text.length - LINE_LENGTH;
  return (
    // Code runs from left to right in every language; what turns it is named by its code.
    <td class={kind ? `text ${kind}` : "text"} dir="ltr">
      {kind && (
        <>
          <span class="hidden">{label(kind)}</span>
          <span class="sign" aria-hidden="true">
            {kind === "added" ? "+" : "−"}
          </span>
        </>
      )}
      <bdi>
        {look.partsOf(line).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line never move.
          <Piece key={index} part={part} kind={kind} />
        ))}
      </bdi>
      {more > 0 && (
        <span class="faint"> {label("charactersLeft", { count: format.number(more) })}</span>
      )}
    </td>
  );
}

function Piece({
  part: { text, token, changed, control },
  kind,
}: {
  part: Part;
  kind: Kind;
}): ComponentChildren {
  if (control) return <span class="control">{text}</span>;
  if (changed && kind) return kind === "added" ? <ins>{text}</ins> : <del>{text}</del>;
  return token ? <span class={`token ${token}`}>{text}</span> : text;
}
