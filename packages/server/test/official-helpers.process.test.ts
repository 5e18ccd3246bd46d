import * as ours from "@vitrine/server";
import * as official from "ext-apps-v2/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SERVERS } from "./in-memory.ts";

const URI = "ui://shop/cart.html";

test("every name of the official entry is here, and its constants are equal", () => {
  for (const [name, value] of Object.entries(official)) {
    expect(ours).toHaveProperty(name, typeof value === "string" ? value : expect.any(Function));
  }
});

describe.each(SERVERS)("$title", ({ connect }) => {
  test("the same calls put the same tools, resources and results on the wire", async () => {
    const ui = { prefersBorder: true, csp: { connectDomains: ["https://api.example.com"] } };
    const setUp = ({ registerAppTool, registerAppResource }: typeof official) =>
      connect((server) => {
        const mcp = server as never;
        const inputSchema = z.object({ id: z.string() });
        const config = { title: "Cart", description: "A cart", inputSchema };
        const result = { content: [{ type: "text" as const, text: "cart 7" }] };
        registerAppTool(mcp, "a", { ...config, _meta: { ui: { resourceUri: URI } } }, () => result);
        const flat = { "ui/resourceUri": URI };
        registerAppTool(mcp, "b", { ...config, _meta: flat }, () => result);
        const mimeType = official.RESOURCE_MIME_TYPE;
        const contents = [{ uri: URI, mimeType, text: "<!doctype html>", _meta: { ui } }];
        registerAppResource(mcp, "Cart", URI, { title: "T", _meta: { ui } }, async () => ({
          contents,
        }));
      });
    const said = await Promise.all(
      [official, ours as unknown as typeof official].map(async (sdk) => {
        const client = await setUp(sdk);
        return [
          await client.listTools(),
          await client.listResources(),
          await client.readResource({ uri: URI }),
          await client.callTool({ name: "a", arguments: { id: "7" } }),
        ];
      }),
    );
    expect(said[1]).toEqual(said[0]);
  });
});
