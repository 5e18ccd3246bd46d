import { useErrorBoundary, useMemo } from "preact/hooks";
import type { Block, BodyProps, CommonConfig } from "./block.ts";
import type { Told } from "./connection.ts";
import { toText } from "./format.ts";
import { dataOf, isBlank, textOf } from "./records.ts";
import { type Retry, useRetry } from "./retry.ts";
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
  if (!error) return <State {...props} />;
  return (
    <>
      <Notice tone="danger" title={label("notDrawn")} details={`${error}`} />
      <Raw text={textOf(props.told.result)} />
    </>
  );
}

function State<Config extends CommonConfig, Data>(props: ContentProps<Config, Data>) {
  const { block, config } = props;
  const again = useRetry(props.told);
  const { stage, input, isWriting = false, result } = again.told;
  const { name, read, isEmpty, isAlways, Body } = block;
  const data = useMemo(
    () => read(result ? dataOf(result) : input, config, result),
    [read, result, input, config],
  );
  const isThere = data !== undefined && !isEmpty?.(data, config);
  if (stage === "error") return <Failure again={again} />;
  const body: BodyProps<Config, Data> = {
    ...{ config, data: data as Data, isPartial: stage === "partial", isWriting, input, result },
  };
  if (stage === "cancelled") {
    return (
      <>
        <Cancelled again={again} />
        {isThere && !isAlways && <Body {...body} isPartial isWriting />}
      </>
    );
  }
  if (isThere || isAlways) {
    return (
      <>
        {body.isPartial && !isAlways && <Writing />}
        <Body {...body} />
      </>
    );
  }
  if (stage !== "ready") return <Loading shape={name} />;
  // A server that answers in words only is still read; words about empty data only repeat that.
  const isWordsOnly = data === undefined && !isBlank(result?.structuredContent);
  return (isWordsOnly && textOf(result) && <Raw text={textOf(result)} />) || <Empty />;
}

/** A failed call: the tool's own words, and a way to try again. */
function Failure({ again }: { again: Retry }) {
  const { label } = useShell();
  const { result } = again.told;
  const data = result?.structuredContent;
  const details = data === undefined ? undefined : toText(data);
  return (
    <Notice tone="danger" title={label("failed")} text={textOf(result)} details={details}>
      <Again again={again} />
    </Notice>
  );
}

/** A cancelled call: the host's reason tells who stopped it. */
function Cancelled({ again }: { again: Retry }) {
  const { label } = useShell();
  const { reason } = again.told;
  return (
    <Notice tone="plain" title={label("cancelled")} text={reason || label("stopped")}>
      <Again again={again} />
    </Notice>
  );
}

function Again({ again: { retry, isPending } }: { again: Retry }) {
  const { label } = useShell();
  if (!retry) return null;
  return (
    <button type="button" class="button again" aria-disabled={isPending} onClick={retry}>
      {isPending && <span class="spinner" aria-hidden="true" />}
      {label("tryAgain")}
    </button>
  );
}

function Raw({ text }: { text: string }) {
  if (!text) return null;
  return (
    <p class="raw">
      <Text value={text} short={5000} />
    </p>
  );
}
