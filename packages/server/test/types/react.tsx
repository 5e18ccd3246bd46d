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
} from "@vitrine/view/react";
import type { ReactElement } from "react";
import type { weather } from "./weather.ts";

export function Weather(): ReactElement {
  const { app } = useApp<AppOf<typeof weather>>({
    appInfo: { name: "weather", version: "1.0.0" },
    capabilities: {},
    onAppCreated: (created) => {
      created.ontoolinput = ({ arguments: args }) => args?.city.trim();
    },
  });
  useHostStyles(app);
  const input = useToolInput(app);
  const result = useToolResult(app);
  const call = useToolCall(app, "set-unit");
  const refresh = useToolCall(app, "refresh");
  const { input: written } = usePartialInput(app);
  const [unit, setUnit] = useViewState<"C" | "F">(app, "unit", "C", {
    model: (unit) => unit.trim(),
  });
  const { mode, available, request } = useDisplayMode(app);
  const { progress, pick } = useUpload(app, { tool: "refresh" });
  useModelContext(app, { unit, isSaved: call.data?.saved });
  const change = async (): Promise<void> => {
    const result = await call.run({ unit: "F" });
    if (result?.structuredContent?.saved) setUnit("F");
    await refresh.run();
    if (available.includes("fullscreen") && mode === "inline") await request("fullscreen");
    if (progress === 0) pick();
  };
  const save = (): void => {
    void app?.callServerTool({ name: "set-unit", arguments: { unit: "C" } });
  };
  return (
    <button type="button" onClick={save} onDoubleClick={change}>
      {written?.city?.trim()}
      {input?.arguments?.city}: {result?.structuredContent?.celsius.toFixed(1)}
    </button>
  );
}
