import { useEffect, useState } from "preact/hooks";
import type { ResultConfig } from "../../src/auto-views/result-config.ts";
import { Table } from "../data-table/table.tsx";
import { Detail } from "../detail/detail.tsx";
import { Gallery } from "../gallery/gallery.tsx";
import { type BodyProps, Empty, Text, Value } from "../shell/shell.tsx";
import { TreeView } from "../tree-view/tree-view.tsx";
import { Again } from "./again.tsx";
import { Difference } from "./difference.tsx";
import { type Part, partsOf } from "./parts.ts";

const MOST_PARTS = 50;
const LONG_TEXT = 3000;

/** Whatever a tool gave, part by part, and a way to call it again. */
export function Result({ config, data, input }: BodyProps<ResultConfig, Part[]>) {
  const [newest, setNewest] = useState<Part[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the Host tells is newer.
  useEffect(() => setNewest(undefined), [data]);
  const parts = newest ?? data;
  return (
    <>
      {parts.slice(0, MOST_PARTS).map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place.
        <Section key={at} part={part} isAlone={parts.length === 1} />
      ))}
      {parts.length === 0 && <Empty />}
      {config.again && (
        <Again
          {...config.again}
          input={input}
          onResult={(result) => setNewest(partsOf(result, config))}
        />
      )}
    </>
  );
}

function Section({ part, isAlone }: { part: Part; isAlone: boolean }) {
  const { title } = part;
  // A single list needs no heading: the tool's heading describes it.
  const isPlain = isAlone && (part.kind === "table" || part.kind === "tree");
  if (!title || isPlain) return <Drawn part={part} />;
  return (
    <section class="part">
      <h2>
        <Text value={title} short={200} />
      </h2>
      <Drawn part={part} />
    </section>
  );
}

function Drawn({ part }: { part: Part }) {
  switch (part.kind) {
    case "table": {
      const { rows, columns } = part;
      return <Table config={columns ? { columns } : {}} data={rows} {...DONE} />;
    }
    case "record": {
      const { record, fields } = part;
      return <Detail config={fields ? { fields } : {}} data={record} {...DONE} />;
    }
    case "tree":
      return <TreeView config={{ expandLevel: 2 }} data={part.tree} {...DONE} />;
    case "images":
      return <Gallery config={{ objectFit: "contain" }} data={part.images} {...DONE} />;
    case "diff":
      return <Difference lines={part.lines} />;
    case "sound":
      // biome-ignore lint/a11y/useMediaCaption: there is nothing that a caption could be made of.
      return <audio controls src={part.src} />;
    case "list":
      return (
        <ul class="list">
          {part.items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
            <li key={at}>
              <Value value={item} />
            </li>
          ))}
        </ul>
      );
    case "text":
      return (
        <p class={isCode(part.text) ? "words code" : "words"}>
          <Text value={part.text} short={LONG_TEXT} />
        </p>
      );
  }
}

// The bodies of templates are drawn for calls that are over.
const DONE = { isPartial: false, isWriting: false, input: undefined, result: undefined };

/** Whether a text is better read in columns: it has lines that are set in, or that end as code does. */
function isCode(text: string): boolean {
  const lines = text.split("\n", 200).filter((line) => line.trim() !== "");
  const set = lines.filter((line) => /^(?:\t| {2,})\S|[;{}]$/.test(line)).length;
  return lines.length > 2 && set / lines.length > 0.2;
}
