import type { AppOf } from "@vitrine/server";
import { useApp, useHostStyles, useToolInput, useToolResult } from "@vitrine/view/react";
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
  const save = (): void => {
    void app?.callServerTool({ name: "set-unit", arguments: { unit: "C" } });
  };
  return (
    <button type="button" onClick={save}>
      {input?.arguments?.city}: {result?.structuredContent?.celsius.toFixed(1)}
    </button>
  );
}
