import type { AppOf } from "@vitrine/server";
import { App } from "@vitrine/view";
import type { weather } from "./weather.ts";

const app = new App<AppOf<typeof weather>>({ name: "weather", version: "1.0.0" });

app.ontoolinput = ({ arguments: args }) => {
  document.title = args?.city ?? "";
};
app.ontoolinputpartial = ({ arguments: args }) => {
  document.title = args?.city ?? "";
};
app.ontoolresult = ({ structuredContent, isError }) => {
  if (isError || !structuredContent) return;
  const first = structuredContent.days[0];
  document.body.textContent = `${structuredContent.celsius.toFixed(1)} ${first?.high.toFixed(0)}`;
};
app.addEventListener("toolresult", ({ structuredContent: data }) => {
  document.title = data?.days[0]?.day.trim() ?? "";
});

export async function setUnit(): Promise<boolean> {
  const result = await app.callServerTool({ name: "set-unit", arguments: { unit: "F" } });
  await app.callServerTool({ name: "refresh" });
  await app.callServerTool({ name: "weather", arguments: { city: "Bern" } });
  return result.structuredContent?.saved === true;
}
