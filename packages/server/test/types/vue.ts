import type { AppOf } from "@vitrine/server";
import { useApp, useHostStyles, useToolInput, useToolResult } from "@vitrine/view/vue";
import { type ComputedRef, computed } from "vue";
import type { weather } from "./weather.ts";

/** What a component's setup calls. */
export function useWeather(): { line: ComputedRef<string>; save(): unknown } {
  const { app } = useApp<AppOf<typeof weather>>({
    appInfo: { name: "weather", version: "1.0.0" },
    capabilities: {},
  });
  useHostStyles(app);
  const input = useToolInput(app);
  const result = useToolResult(app);
  const city = computed(() => input.value?.arguments?.city);
  const celsius = computed(() => result.value?.structuredContent?.celsius.toFixed(1));
  return {
    line: computed(() => `${city.value}: ${celsius.value}`),
    save: () => app.value?.callServerTool({ name: "set-unit", arguments: { unit: "C" } }),
  };
}
