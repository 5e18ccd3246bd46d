import { expect, test } from "vitest";
import { RESOURCE_MIME_TYPE } from "../../src/apps/constants.ts";
import { isAppMimeType } from "../../src/apps/mime-type.ts";

test.each([
  RESOURCE_MIME_TYPE,
  "text/html; profile=mcp-app",
  "text/html ;profile=mcp-app",
  " text/html ; profile = mcp-app ",
  'text/html;profile="mcp-app"',
  'text/html; profile=" mcp-app "',
  "TEXT/HTML;PROFILE=mcp-app",
  "text/html;profile=mcp-app;charset=utf-8",
  "text/html; charset=UTF-8; profile=mcp-app",
  'text/html; charset="utf-8"; profile="mcp-app"',
])("%j is the MIME type of a UI resource", (value) => {
  expect(isAppMimeType(value)).toBe(true);
});

test.each([
  "text/html",
  "text/html;",
  "text/html+mcp",
  "text/vnd.mcp.ui+html",
  "text/plain;profile=mcp-app",
  "application/xhtml+xml;profile=mcp-app",
  "text/html;profile=mcp-app2",
  "text/html;profile=MCP-APP",
  "text/html;profile='mcp-app'",
  'text/html;profile="mcp-app',
  "text/html;profile",
  "text/html;profile=",
  "text/html;=mcp-app",
  "text/html,profile=mcp-app",
  "text/html;profile=mcp-app;profile=mcp-app",
  "text/html;profile=mcp-app;profile=other",
  "text/html;profile=mcp-app;charset=utf-7",
  "text/html;profile=mcp-app;x=y",
  "text/html;profile=mcp-app;",
  "x-text/html;profile=mcp-app",
  "",
  undefined,
  null,
  7,
  [RESOURCE_MIME_TYPE],
])("%j is not", (value) => {
  expect(isAppMimeType(value)).toBe(false);
});
