// The shell of every template: connection, states, look, words, live region. A template brings what it
// reads and how that is drawn.
//
// To write a template, add views/<name>/index.tsx with its styles. You don't register it here.
//
//   import "./<name>.css";                         // logical properties, the short names of shell.css
//   import { runTemplate, Text, useShell, useToolCall, Value } from "../shell/shell.tsx";
//   import type { BoardConfig } from "../../src/templates/board.ts";   // the Node side owns the type
//
//   runTemplate<BoardConfig, Card[]>({
//     name: "board",                               // also the words' fallback heading
//     labels: { move: "Move" },                    // English; config.labels replaces them by name
//     read: (value, config) => cardsIn(value),     // structuredContent, JSON in text, or partial input
//     isEmpty: (cards) => cards.length === 0,      // → the state "empty"; undefined from `read` too
//     Body: ({ data, config, isPartial }) => <ul>{data.map(…)}</ul>,
//   });
//
// The shell draws loading, error, cancelled and empty. `Body` is drawn for a result, and for the
// (partial) input of the tool while `read(input)` finds something in it (`isPartial`). A template that
// is worth seeing without data sets `isAlways`; `data` may then be undefined.
//
// `useShell()` has `app`, `context` (the Host's), `format` (locale), `label(name, values)`,
// `announce(text)` for screen readers, `tellModel(text)`. `useToolCall()` calls a tool of the Server
// and holds pending, failed and done. `<Text value>` for every text of the data, `<Value value as>` for
// any value, `<Name value>` for text in a heading, label or control: isolated, cut when long (the first
// two with a button to see more), never markup. `own(record, key)` reads data; never index it directly.
// Config booleans that default to true: `!== false`.
//
// On the Node side: src/templates/<name>.ts exports the config type and
// `export const board: Template<BoardConfig> = defineTemplate({ name, options, fit, describe })`
// (see data-table.ts), listed in src/templates/index.ts.

import "./shell.css";
import type { CallToolResult } from "@vitrine/view";
import { type ComponentType, render } from "preact";
import { useCallback, useErrorBoundary, useMemo, useRef } from "preact/hooks";
import { type Told, useConnection } from "./connection.ts";
import { createFormatter } from "./format.ts";
import { directionOf } from "./host-look.ts";
import { createLabels } from "./labels.ts";
import { dataOf, textOf } from "./records.ts";
import { type Shell, ShellContext, useShell } from "./shell-context.ts";
import { Empty, Loading, Notice, Writing } from "./states.tsx";
import { Name, Text } from "./text.tsx";

export { type Formatter, kindOf, toText } from "./format.ts";
export {
  CHECK,
  CROSS,
  DOWN,
  EXPAND,
  Icon,
  NEXT,
  PREVIOUS,
  SEARCH,
  UP,
} from "./icons.tsx";
export {
  asText,
  dataOf,
  type Fields,
  humanise,
  isRecord,
  own,
  textOf,
} from "./records.ts";
export { type Shell, useShell } from "./shell-context.ts";
export { Empty, Notice, Writing } from "./states.tsx";
export { cut, Link, Name, Text, Value } from "./text.tsx";
export { type CallProgress, useToolCall } from "./tool-call.ts";

/** Options that every template has. */
export interface CommonConfig {
  title?: string;
  description?: string;
  labels?: Record<string, string>;
}

/** What a template's body gets. */
export interface BodyProps<Config, Data> {
  config: Config;
  data: Data;
  /** The data is the tool's input, and the result is still to come. */
  isPartial: boolean;
  /** The model is still writing the input: to look at, never to act on. */
  isWriting: boolean;
  /** The tool's arguments as far as they are known. */
  input: Record<string, unknown> | undefined;
  result: CallToolResult | undefined;
}

/** One template. */
export interface TemplateView<Config, Data> {
  name: string;
  labels?: Record<string, string>;
  /** Finds the template's data in a value of anybody's making. */
  read(value: unknown, config: Config, result?: CallToolResult): Data | undefined;
  isEmpty?(data: Data, config: Config): boolean;
  /** The body is drawn without data too. */
  isAlways?: boolean;
  Body: ComponentType<BodyProps<Config, Data>>;
}

/** Draws a template into the document, with the config that the page carries. */
export function runTemplate<Config extends CommonConfig, Data>(
  template: TemplateView<Config, Data>,
): void {
  const config = JSON.parse(document.getElementById("vitrine-config")?.textContent ?? "{}");
  const main = document.querySelector("main") as HTMLElement;
  render(<Frame template={template} config={config} />, main);
}

function Frame<Config extends CommonConfig, Data>({
  template,
  config,
}: {
  template: TemplateView<Config, Data>;
  config: Config;
}) {
  const { app, told, context, failure } = useConnection(`vitrine-${template.name}`);
  const { locale, timeZone, toolInfo } = context ?? {};
  const direction = directionOf(locale);
  const label = useMemo(
    () => createLabels([template.labels, config.labels], direction),
    [template, config, direction],
  );
  const format = useMemo(
    () => createFormatter(locale, timeZone, { yes: label("yes"), no: label("no") }),
    [locale, timeZone, label],
  );
  const live = useRef<HTMLDivElement>(null);
  // Not by state: a text is announced once, which doesn't need another rendering of the template.
  const announce = useCallback((text: string) => {
    if (live.current) live.current.textContent = text;
  }, []);
  const tellModel = useCallback(
    (text: string) => {
      if (!app.getHostCapabilities()?.updateModelContext) return;
      // If the model can't be notified, the user's action must not look like a failure.
      app.updateModelContext({ content: [{ type: "text", text }] }).catch(() => {});
    },
    [app],
  );
  const shell: Shell = useMemo(
    () => ({ app, context: context ?? {}, format, label, announce, tellModel }),
    [app, context, format, label, announce, tellModel],
  );
  const { tool } = toolInfo ?? {};
  const title = config.title ?? tool?.title ?? tool?.name ?? "";
  return (
    <ShellContext.Provider value={shell}>
      <div class={config.title || config.description ? "head" : "hidden"}>
        <h1>
          <Name value={title || document.title} length={300} />
        </h1>
        {config.description && (
          <p>
            <Text value={config.description} short={2000} />
          </p>
        )}
      </div>
      {failure === undefined ? (
        <Guarded template={template} config={config} told={told} />
      ) : (
        <Notice tone="danger" title={label("notConnected")} text={failure} />
      )}
      <div class="hidden" role="status" ref={live} />
    </ShellContext.Provider>
  );
}

/** Data that a template was not ready for must not leave a blank frame behind. */
function Guarded<Config extends CommonConfig, Data>(props: ContentProps<Config, Data>) {
  const { label } = useShell();
  const [error] = useErrorBoundary();
  if (error) return <Notice tone="danger" title={label("failed")} text={`${error}`} />;
  return <Content {...props} />;
}

interface ContentProps<Config, Data> {
  template: TemplateView<Config, Data>;
  config: Config;
  told: Told;
}

function Content<Config extends CommonConfig, Data>({
  template,
  config,
  told,
}: ContentProps<Config, Data>) {
  const { stage, input, isWriting = false, result, reason } = told;
  const { read, isEmpty, isAlways, Body } = template;
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
