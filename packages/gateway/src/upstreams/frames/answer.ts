import { isRequestId, type JsonRpcError, type JsonRpcResult } from "@vitrine/protocol";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";
import { withId } from "./json-text.ts";
import type { ServerMessage } from "./server-message.ts";

type Id = string | number;

/** A server's response as the answer to `id`, which it must be about; unless it could not read the id. */
export function answerTo(
  id: Id,
  { text, message }: Extract<ServerMessage, { kind: "response" }>,
): UpstreamAnswer {
  if (message.id === id) return { text, message };
  if (isRequestId(message.id)) {
    const about = JSON.stringify(message.id).slice(0, 40);
    throw new UpstreamError(
      "malformed",
      `The server answered request ${about}, which is not this.`,
      {
        sent: true,
      },
    );
  }
  return readdressed(id, { text, message });
}

/** The same answer under another id. */
export function readdressed(id: Id, { text, message }: UpstreamAnswer): UpstreamAnswer {
  return { text: withId(text, JSON.stringify(id)), message: { ...message, id } };
}

/** An answer of the gateway's own. */
export function resultAnswer(id: Id, result: Record<string, unknown>): UpstreamAnswer {
  return own({ jsonrpc: "2.0", id, result });
}

/** An error of the gateway's own, as the server would have put it. */
export function errorAnswer(id: Id, code: number, message: string): UpstreamAnswer {
  return own({ jsonrpc: "2.0", id, error: { code, message } });
}

function own(message: JsonRpcResult | JsonRpcError): UpstreamAnswer {
  return { text: JSON.stringify(message), message };
}

/** The result of `server/discover`, if the answer holds one. */
export function discoverResult({ message }: UpstreamAnswer): DiscoverResult | undefined {
  if (!("result" in message)) return undefined;
  const result = message.result as Partial<DiscoverResult> | null;
  const { supportedVersions, capabilities = {}, ttlMs, cacheScope } = result ?? {};
  const isList =
    Array.isArray(supportedVersions) && supportedVersions.every((each) => typeof each === "string");
  if (!isList || typeof capabilities !== "object" || capabilities === null) return undefined;
  return {
    ...result,
    resultType: "complete",
    supportedVersions,
    capabilities,
    ttlMs: typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : 0,
    cacheScope: cacheScope === "public" ? "public" : "private",
  };
}
