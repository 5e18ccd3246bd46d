import type { AppOf } from "@vitrine/server";
import {
  useApp,
  useDisplayMode,
  useHostStyles,
  useModelContext,
  usePartialInput,
  useToolCall,
  useToolInput,
  useToolResult,
  useUpload,
  useViewState,
} from "@vitrine/view/svelte";
import { derived, get, type Readable } from "svelte/store";
import type { weather } from "./weather.ts";

/** What a component's script calls. */
export function useWeather(): {
  line: Readable<string>;
  undo(): void;
  change(): unknown;
  save(): unknown;
} {
  const view = useApp<AppOf<typeof weather>>({
    appInfo: { name: "weather", version: "1.0.0" },
    capabilities: {},
  });
  const undo = useHostStyles(view);
  const call = useToolCall(view, "set-unit");
  const written = derived(usePartialInput(view), ({ input }) => input?.city?.trim());
  const { value: unit } = useViewState<string>(view, "unit", "C", { model: (unit) => unit.trim() });
  const display = useDisplayMode(view);
  const { pick } = useUpload(view, { tool: "refresh" });
  useModelContext(
    view,
    derived(call, ({ data }) => ({ isSaved: data?.saved })),
  );
  const change = async (): Promise<void> => {
    const result = await call.run({ unit: "F" });
    if (result?.structuredContent?.saved) unit.set(get(written) ?? "F");
    if (get(display).mode === "inline") await display.request("fullscreen");
    pick();
  };
  const city = derived(useToolInput(view), (input) => input?.arguments?.city);
  const celsius = derived(useToolResult(view), (result) =>
    result?.structuredContent?.celsius.toFixed(1),
  );
  return {
    line: derived([city, celsius], ([city, celsius]) => `${city}: ${celsius}`),
    undo,
    change,
    save: () => get(view).app?.callServerTool({ name: "set-unit", arguments: { unit: "C" } }),
  };
}
