// biome-ignore lint/correctness/noNodejsModules: registering is synchronous, and every runtime of MCP servers has it.
import { createHash } from "node:crypto";
import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";

/**
 * SHA-256 of a view and its declarations, 16 hexadecimal digits: another policy gives another hash.
 */
export function contentHash(html: string, meta: McpUiResourceMeta): string {
  return sha256(JSON.stringify([html, meta])).slice(0, 16);
}

/**
 * The `domain` of a view in Claude (SRV-08): a name derived from the MCP endpoint, exactly as users
 * enter it. Other hosts use other forms, so leave `domain` out unless a view needs a fixed origin.
 */
export function claudeDomain(endpoint: string): string {
  const { protocol } = URL.parse(endpoint) ?? {};
  if (protocol !== "https:" && protocol !== "http:") {
    throw serverError("bad-endpoint", JSON.stringify(endpoint) ?? String(endpoint));
  }
  return `${sha256(endpoint).slice(0, 32)}.claudemcpcontent.com`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
