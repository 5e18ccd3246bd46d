// The bytes that a chat's page loads to show a view, with the renderers of other libraries and ours:
// esbuild, gzip -9, without React, and without the AI SDK's own chat, which the page has anyway. The second
// table lists what each renderer itself does; a product can
// add the rest in its own code.

import { bundleChunks, bundleChunksWithVite, weighFiles } from "./bundles.mjs";
import { toCount, toTable } from "./table.mjs";

const REACT = ["react", "react/jsx-runtime", "react-dom", "react-dom/client"];
/** What our host loads as soon as a page wants a view. */
export const FOR_VIEWS = ["view-start", "request-gate"];

const RENDERERS = [
  {
    name: "AI SDK MCPAppRenderer (@ai-sdk/react 4.0.167)",
    code: 'export { experimental_MCPAppRenderer } from "@ai-sdk/react"',
    does: {
      visibility: "the product's list of tools",
      consent: "the product's",
      CSP: "text for the product's page",
      origin: "the product's page",
      limits: "–",
      partial: "–",
    },
  },
  {
    name: "assistant-ui McpAppRenderer (@assistant-ui/react 0.15.20)",
    code: 'export { McpAppRenderer } from "@assistant-ui/react"',
    does: {
      visibility: "the product's list, if set",
      consent: "the product's",
      CSP: "–",
      origin: "a vendor's domain, one a view",
      limits: "–",
      partial: "–",
    },
  },
  {
    name: "mcp-ui AppRenderer (@mcp-ui/client 7.1.1)",
    code: 'export { AppRenderer } from "@mcp-ui/client"',
    does: {
      visibility: "the product's",
      consent: "the product's",
      CSP: "query for the product's page",
      origin: "the product's page",
      limits: "–",
      partial: "sent",
    },
  },
  {
    name: "ours: McpAppPart with its host (@vitrine/chat/ai-sdk)",
    code: `export { createChatApps } from "@vitrine/chat";
      export { McpAppPart, McpAppsProvider, useMcpChat } from "@vitrine/chat/ai-sdk";`,
    external: ["ai", "@ai-sdk/react"],
    does: {
      visibility: "checked, on the server too",
      consent: "dialog, checked on the server",
      CSP: "HTTP header",
      origin: "our sandbox, one a view",
      limits: "rate, size, depth",
      partial: "sent",
    },
  },
];

/** Prints both tables. */
export async function printRenderers() {
  const rows = [];
  for (const { name, code, external: own = [] } of RENDERERS) {
    const external = [...REACT, ...own];
    const load = async (soon = []) =>
      weighFiles((await bundleChunks(code, { external, soon })).first.values());
    const [first, shown] = [await load(), await load(FOR_VIEWS)];
    // esbuild loads at first whatever a barrel passes on to a module that is loaded later; Vite doesn't.
    const withVite = weighFiles((await bundleChunksWithVite(code, { external })).first.values());
    rows.push([
      name,
      ...[first.raw, first.gzip, withVite.gzip, shown.raw, shown.gzip].map(toCount),
    ]);
  }
  const checks = Object.keys(RENDERERS[0].does);
  console.log(
    toTable(["renderer, without React", "first", "gzip", "by Vite", "until shown", "gzip"], rows),
  );
  console.log("");
  console.log(
    toTable(
      ["what it does itself", ...checks],
      RENDERERS.map(({ name, does }) => [name, ...checks.map((check) => does[check])]),
    ),
  );
}
