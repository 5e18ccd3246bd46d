import { McpApp } from "@vitrine/host/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";

test("McpApp is rendered on a server as an element with its fallback, without a complaint", () => {
  const complaint = vi.spyOn(console, "error").mockReturnValue();
  const html = renderToString(createElement(McpApp, { className: "app", fallback: "Paid." }));
  expect(html).toBe('<mcp-app class="app"><div slot="fallback">Paid.</div></mcp-app>');
  expect(complaint).not.toHaveBeenCalled();
  complaint.mockRestore();
});
