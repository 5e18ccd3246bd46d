import { type CallToolResult, directionOf } from "@vitrine/view";
import type { ComponentChildren } from "preact";
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import type { CommonConfig } from "./block.ts";
import { type Told, useConnection } from "./connection.ts";
import { createFormatter } from "./format.ts";
import { createLabels } from "./labels.ts";
import { type Shell, ShellContext } from "./shell-context.ts";
import { Notice } from "./states.tsx";
import { Name, Text } from "./text.tsx";

/** Everything around the blocks of a view: connection, heading, words, live region. */
export function Frame({
  name,
  labels,
  config,
  about,
  children,
}: {
  name: string;
  labels?: Record<string, string> | undefined;
  config: CommonConfig;
  /** Heading and description that come with the data. */
  about?(told: Told): Pick<CommonConfig, "title" | "description">;
  children(told: Told): ComponentChildren;
}) {
  const { app, told: received, context, failure } = useConnection(`vitrine-${name}`);
  const [told, showResult] = useNewest(received);
  const { locale, timeZone, toolInfo } = context ?? {};
  const direction = directionOf(locale);
  const label = useMemo(
    () => createLabels([labels, config.labels], direction),
    [labels, config, direction],
  );
  const format = useMemo(
    () => createFormatter(locale, timeZone, { yes: label("yes"), no: label("no") }),
    [locale, timeZone, label],
  );
  const live = useRef<HTMLDivElement>(null);
  // Not by state: a text is announced once, which doesn't need another rendering of the blocks.
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
    () => ({ app, context: context ?? {}, format, label, announce, tellModel, showResult }),
    [app, context, format, label, announce, tellModel, showResult],
  );
  const { tool } = toolInfo ?? {};
  const shown = about?.(told) ?? config;
  const title = shown.title ?? tool?.title ?? tool?.name ?? "";
  return (
    <ShellContext.Provider value={shell}>
      <div class={shown.title || shown.description ? "head" : "hidden"}>
        <h1>
          <Name value={title || document.title} length={300} />
        </h1>
        {shown.description && (
          <p>
            <Text value={shown.description} short={2000} />
          </p>
        )}
      </div>
      {failure === undefined ? (
        children(told)
      ) : (
        <Notice tone="danger" title={label("notConnected")} text={failure} />
      )}
      <div class="hidden" role="status" ref={live} />
    </ShellContext.Provider>
  );
}

/** The newest result: the Host's, or that of an action that replaces it. */
function useNewest(received: Told): [Told, (result: CallToolResult) => void] {
  const [newer, setNewer] = useState<{ than: Told; result: CallToolResult }>();
  const showResult = useCallback(
    (result: CallToolResult) => setNewer({ than: received, result }),
    [received],
  );
  const told = useMemo<Told>(
    () =>
      newer?.than === received ? { ...received, stage: "ready", result: newer.result } : received,
    [received, newer],
  );
  return [told, showResult];
}
