// A weather View as its author wrote it for the official SDK. The one thing that changed is where
// the next import comes from.

import {
  App,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  type McpUiHostContext,
} from "@vitrine/view";
import { z } from "zod";

interface Forecast {
  city: string;
  hours: Array<{ at: string; celsius: number }>;
}

const app = new App(
  { name: "weather", version: "1.0.0" },
  { availableDisplayModes: ["inline", "fullscreen"] },
);
let forecast: Forecast | undefined;

function element(id: string): HTMLElement {
  return document.getElementById(id) as HTMLElement;
}

function say(status: string): void {
  element("status").textContent = status;
}

function show(next: unknown): void {
  forecast = next as Forecast;
  element("city").textContent = forecast.city;
  element("hours").replaceChildren(
    ...forecast.hours.map(({ at, celsius }) => {
      const item = document.createElement("li");
      item.textContent = `${at}: ${celsius} °C`;
      return item;
    }),
  );
}

function dress(context: McpUiHostContext): void {
  if (context.theme) applyDocumentTheme(context.theme);
  if (context.styles?.variables) applyHostStyleVariables(context.styles.variables);
  if (context.styles?.css?.fonts) applyHostFonts(context.styles.css.fonts);
  if (context.displayMode) element("note").textContent = `shown ${context.displayMode}`;
}

app.ontoolinputpartial = ({ arguments: args }) => say(`searching ${args?.city ?? "…"}`);
app.ontoolinput = ({ arguments: args }) => say(`asking for ${args?.city}`);
app.ontoolresult = ({ structuredContent, isError, content }) => {
  if (isError) {
    const [first] = content;
    say(`failed: ${first?.type === "text" ? first.text : "no reason"}`);
    return;
  }
  show(structuredContent);
  say("loaded");
};
app.ontoolcancelled = ({ reason }) => say(`cancelled: ${reason}`);
app.addEventListener("hostcontextchanged", dress);
app.onteardown = async () => {
  say("goodbye");
  await app.sendLog({ level: "info", logger: "weather", data: "closing" });
  return {};
};
app.onerror = (error) => say(error.message);

app.registerTool(
  "show-hour",
  {
    description: "Marks one hour of the forecast",
    inputSchema: z.object({ at: z.string() }),
    outputSchema: z.object({ found: z.boolean() }),
  },
  async ({ at }) => {
    const found = forecast?.hours.some((hour) => hour.at === at) ?? false;
    element("note").textContent = found ? `see ${at}` : `nothing at ${at}`;
    return { content: [{ type: "text", text: `${found}` }], structuredContent: { found } };
  },
);

element("refresh").onclick = async () => {
  try {
    const result = await app.callServerTool({
      name: "forecast",
      arguments: { city: forecast?.city },
    });
    show(result.structuredContent);
    await app.updateModelContext({
      content: [{ type: "text", text: `The user looks at ${forecast?.city}.` }],
      structuredContent: { hours: forecast?.hours.length },
    });
    say("refreshed");
  } catch (error) {
    say(`not refreshed: ${(error as { code?: unknown }).code}`);
  }
};
element("ask").onclick = async () => {
  const text = `What should I wear in ${forecast?.city}?`;
  const { isError } = await app.sendMessage({ role: "user", content: [{ type: "text", text }] });
  say(isError ? "not asked" : "asked");
};
element("source").onclick = async () => {
  const { isError } = await app.openLink({ url: "https://weather.example/?from=view" });
  say(isError ? "not opened" : "opened");
};
element("save").onclick = async () => {
  const resource = { uri: "file:///forecast.json", text: JSON.stringify(forecast) };
  const { isError } = await app.downloadFile({ contents: [{ type: "resource", resource }] });
  say(isError ? "not saved" : "saved");
};
element("full").onclick = async () => {
  const { mode } = await app.requestDisplayMode({ mode: "fullscreen" });
  say(`now ${mode}`);
};
element("close").onclick = () => app.requestTeardown();

await app.connect();
dress(app.getHostContext() ?? {});
say(`connected to ${app.getHostVersion()?.name}`);
