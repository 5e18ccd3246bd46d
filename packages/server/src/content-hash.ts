// biome-ignore lint/correctness/noNodejsModules: the hash is wanted while registering, which waits for nobody; every runtime of MCP servers has this module.
import { createHash } from "node:crypto";
import type { McpUiResourceMeta } from "@vitrine/protocol/apps";
import { serverError } from "./errors.ts";

/** SHA-256 of a View and what it declares, 16 hexadecimal digits: with another policy it is another. */
export function contentHash(html: string, meta: McpUiResourceMeta): string {
  return sha256(JSON.stringify([html, meta])).slice(0, 16);
}

/**
 * The `domain` of a View in Claude (SRV-08): a name derived from the MCP endpoint, exactly as users
 * enter it. Other hosts have other forms, so leave `domain` out unless a View needs a fixed origin.
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
