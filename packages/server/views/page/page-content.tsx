import { useMemo } from "preact/hooks";
import { blockData } from "../../src/templates/json-pointer.ts";
import type { Told } from "../shell/connection.ts";
import { Frame } from "../shell/frame.tsx";
import { dataOf, textOf } from "../shell/records.ts";
import { readConfig } from "../shell/run-block.tsx";
import { useShell } from "../shell/shell-context.ts";
import { Empty, Loading, Notice, Writing } from "../shell/states.tsx";
import { Text } from "../shell/text.tsx";
import { BlockList } from "./block-view.tsx";
import type { PageSetup, ReadDocument, readDocument } from "./document.ts";
import { LABELS } from "./labels.ts";
import { PageContext } from "./page-context.ts";

/** The whole view. */
export function Page() {
  const setup = useMemo(() => readConfig<PageSetup>(), []);
  const about = (told: Told) => documentOf(told, setup);
  return (
    <Frame name="page" labels={LABELS} config={setup} about={about}>
      {(told) => <Content told={told} setup={setup} />}
    </Frame>
  );
}

let reader: typeof readDocument | undefined;
const read = new WeakMap<object, ReadDocument>();

/** Adds the code that validates documents; a page whose blocks are known doesn't have it. */
export function addReader(read: typeof readDocument): void {
  reader = read;
}

/** The document of a page: its own, that of the result, or that of the tool's input. */
function documentOf({ result, input, isWriting }: Told, setup: PageSetup): ReadDocument {
  if (setup.blocks) return { ...setup, blocks: setup.blocks, problems: [] };
  const sources = [dataOf(result), input];
  const source = sources.find((one) => Array.isArray(blockData("/blocks", one)));
  if (!reader || typeof source !== "object" || source === null)
    return { blocks: undefined, problems: [] };
  let found = read.get(source);
  if (!found) {
    found = reader(source, setup, { isWhole: !isWriting });
    read.set(source, found);
  }
  return found;
}

function Content({ told, setup }: { told: Told; setup: PageSetup }) {
  const { label } = useShell();
  const { stage, result, reason, input } = told;
  const { blocks, problems } = documentOf(told, setup);
  const context = useMemo(() => ({ labels: setup.labels }), [setup]);
  // A document that came as the tool's input is also its data, if the result has none.
  const shown = useMemo(() => {
    const isAnswered = result !== undefined && dataOf(result) !== undefined;
    if (isAnswered || setup.blocks || stage !== "ready") return told;
    return { ...told, result: { content: [], structuredContent: input } };
  }, [told, setup, stage, result, input]);
  if (stage === "error") {
    return <Notice tone="danger" title={label("failed")} text={textOf(result)} />;
  }
  if (stage === "cancelled") {
    return <Notice tone="plain" title={label("cancelled")} text={reason} />;
  }
  if (!blocks) {
    if (stage !== "ready") return <Loading />;
    const text = textOf(result);
    return text ? (
      <p class="raw">
        <Text value={text} short={5000} />
      </p>
    ) : (
      <Empty />
    );
  }
  if (blocks.length === 0 && problems.length === 0) return <Empty />;
  return (
    <PageContext.Provider value={context}>
      {stage === "partial" && <Writing />}
      <BlockList blocks={blocks} told={shown} />
      {problems.length > 0 && !told.isWriting && (
        <Notice tone="danger" title={label("invalid", { count: problems.length })}>
          <details>
            <summary>{label("details")}</summary>
            <ul class="problems">
              {problems.map((problem, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a problem is its place.
                <li key={at}>
                  <Text value={problem} />
                </li>
              ))}
            </ul>
          </details>
        </Notice>
      )}
    </PageContext.Provider>
  );
}
