import type { AppOf } from "@vitrine/server";
import { useApp, useHostStyles, useToolInput, useToolResult } from "@vitrine/view/svelte";
import { derived, get, type Readable } from "svelte/store";
import type { weather } from "./weather.ts";

/** What a component's script calls. */
export function useWeather(): { line: Readable<string>; undo(): void; save(): unknown } {
  const view = useApp<AppOf<typeof weather>>({
    appInfo: { name: "weather", version: "1.0.0" },
    capabilities: {},
  });
  const undo = useHostStyles(view);
  const city = derived(useToolInput(view), (input) => input?.arguments?.city);
  const celsius = derived(useToolResult(view), (result) =>
    result?.structuredContent?.celsius.toFixed(1),
  );
  return {
    line: derived([city, celsius], ([city, celsius]) => `${city}: ${celsius}`),
    undo,
    save: () => get(view).app?.callServerTool({ name: "set-unit", arguments: { unit: "C" } }),
  };
}
