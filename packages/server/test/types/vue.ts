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
} from "@vitrine/view/vue";
import { type ComputedRef, computed } from "vue";
import type { weather } from "./weather.ts";

/** What a component's setup calls. */
export function useWeather(): { line: ComputedRef<string>; change(): unknown; save(): unknown } {
  const { app } = useApp<AppOf<typeof weather>>({
    appInfo: { name: "weather", version: "1.0.0" },
    capabilities: {},
  });
  useHostStyles(app);
  const input = useToolInput(app);
  const result = useToolResult(app);
  const call = useToolCall(app, "set-unit");
  const { input: written } = usePartialInput(app);
  const { value: unit } = useViewState<string>(app, "unit", "C", { model: (unit) => unit.trim() });
  const { mode, request } = useDisplayMode(app);
  const { pick } = useUpload(app, { tool: "refresh" });
  useModelContext(app, () => {
    const data = call.data.value;
    return { unit: unit.value, isSaved: data?.saved };
  });
  const change = async (): Promise<void> => {
    const result = await call.run({ unit: "F" });
    if (result?.structuredContent?.saved) unit.value = written.value?.city?.trim() ?? "F";
    if (mode.value === "inline") await request("fullscreen");
    pick();
  };
  const city = computed(() => input.value?.arguments?.city);
  const celsius = computed(() => result.value?.structuredContent?.celsius.toFixed(1));
  return {
    line: computed(() => `${city.value}: ${celsius.value}`),
    change,
    save: () => app.value?.callServerTool({ name: "set-unit", arguments: { unit: "C" } }),
  };
}
