import { useErrorBoundary, useMemo } from "preact/hooks";
import type { Block, CommonConfig } from "./block.ts";
import type { Told } from "./connection.ts";
import { dataOf, textOf } from "./records.ts";
import { useShell } from "./shell-context.ts";
import { Empty, Loading, Notice, Writing } from "./states.tsx";
import { Text } from "./text.tsx";

interface ContentProps<Config, Data> {
  block: Block<Config, Data>;
  config: Config;
  told: Told;
}

/** A block in the state of its tool call. A body that throws shows why, not a blank frame. */
export function Content<Config extends CommonConfig, Data>(props: ContentProps<Config, Data>) {
  const { label } = useShell();
  const [error] = useErrorBoundary();
  if (error) return <Notice tone="danger" title={label("failed")} text={`${error}`} />;
  return <State {...props} />;
}

function State<Config extends CommonConfig, Data>({
  block,
  config,
  told,
}: ContentProps<Config, Data>) {
  const { stage, input, isWriting = false, result, reason } = told;
  const { read, isEmpty, isAlways, Body } = block;
  const { label } = useShell();
  const data = useMemo(
    () => read(result ? dataOf(result) : input, config, result),
    [read, result, input, config],
  );
  if (stage === "error") {
    return <Notice tone="danger" title={label("failed")} text={textOf(result)} />;
  }
  if (stage === "cancelled")
    return <Notice tone="plain" title={label("cancelled")} text={reason} />;
  const isThere = data !== undefined && !isEmpty?.(data, config);
  if (isThere || isAlways) {
    const isPartial = stage === "partial";
    return (
      <>
        {isPartial && !isAlways && <Writing />}
        <Body
          config={config}
          data={data as Data}
          isPartial={isPartial}
          isWriting={isWriting}
          input={input}
          result={result}
        />
      </>
    );
  }
  if (stage !== "ready") return <Loading />;
  // A server that answers in words only is still read.
  const text = data === undefined ? textOf(result) : "";
  return text ? (
    <p class="raw">
      <Text value={text} short={5000} />
    </p>
  ) : (
    <Empty />
  );
}
