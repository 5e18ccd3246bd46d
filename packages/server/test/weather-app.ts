// One app and one pair of the official helpers, on a server of either SDK: what tests connect to.

import { McpServer as McpServer1 } from "@modelcontextprotocol/sdk/server/mcp.js";
import { McpServer as McpServer2 } from "@modelcontextprotocol/server";
import {
  type AppServer,
  appTool,
  defineApp,
  registerAppResource,
  registerAppTool,
  uiCapability,
} from "@vitrine/server";
import { z } from "zod";

export const PAGE = "<!doctype html><title>Wetter in Zürich</title><output></output>";
export const MAP = "ui://maps/map.html";

const day = z.object({ day: z.string().meta({ title: "Day" }), high: z.number(), low: z.number() });

export const weather = defineApp({
  name: "weather",
  title: "Weather",
  description: "Forecast for a city",
  tool: {
    name: "get-weather",
    inputSchema: z.object({ city: z.string(), days: z.number().int().default(2) }),
    outputSchema: z.object({ city: z.string(), celsius: z.number(), days: z.array(day) }),
    annotations: { readOnlyHint: true },
    handler: ({ city, days }, { ui }) => ({
      data: {
        city,
        celsius: 21,
        days: Array.from({ length: days }, (_, at) => ({ day: `D${at}`, high: 20 + at, low: 9 })),
      },
      private: { "weather/ui": ui === undefined ? "unknown" : ui === null ? "none" : "shown" },
    }),
  },
  tools: {
    "set-unit": appTool({
      inputSchema: z.object({ unit: z.enum(["C", "F"]) }),
      outputSchema: z.object({ unit: z.string() }),
      handler: ({ unit }) => ({ text: `Unit is now ${unit}`, data: { unit } }),
    }),
  },
  view: PAGE,
  csp: { connectDomains: ["API.example.com", "https://tiles.example.com/"] },
  prefersBorder: true,
  cache: { ttlMs: 60_000 },
});

/** Registers everything on a server of either SDK. */
export function setUp<S extends AppServer>(server: S): S {
  weather.register(server);
  const ui = { resourceUri: MAP };
  registerAppTool(
    server,
    "show-map",
    { description: "A map", inputSchema: z.object({ zoom: z.number() }), _meta: { ui } },
    ({ zoom }, context) => ({
      content: [
        { type: "text", text: `zoom ${zoom}, ${uiCapability(context) ? "shown" : "text"}` },
      ],
    }),
  );
  registerAppResource(
    server,
    "Map",
    MAP,
    { description: "The map", _meta: { ui: { prefersBorder: false } } },
    () => ({ contents: [{ uri: MAP, text: PAGE }] }),
  );
  return server;
}

const info = { name: "weather-server", version: "1.0.0" };

export const build2 = (): McpServer2 => setUp(new McpServer2(info));
export const build1 = (): McpServer1 => setUp(new McpServer1(info));
