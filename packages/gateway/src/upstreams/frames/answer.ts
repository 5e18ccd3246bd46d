import { isRequestId } from "@vitrine/protocol";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";

type Id = string | number;

/** A server's response as the answer to `id`, which it must be about; unless it could not read the id. */
export function answerTo(id: Id, { message }: UpstreamAnswer): UpstreamAnswer {
  if (message.id === id) return { message };
  if (isRequestId(message.id)) {
    const about = JSON.stringify(message.id).slice(0, 40);
    const text = `The server answered request ${about}, which is not this.`;
    throw new UpstreamError("malformed", text, { sent: true });
  }
  return readdressed(id, { message });
}

/** The same answer under another id. */
export function readdressed(id: Id, { message }: UpstreamAnswer): UpstreamAnswer {
  return { message: { ...message, id } };
}

/** An answer of the gateway's own. */
export function resultAnswer(id: Id, result: Record<string, unknown>): UpstreamAnswer {
  return { message: { jsonrpc: "2.0", id, result } };
}

/** An error of the gateway's own, as the server would have put it. */
export function errorAnswer(id: Id, code: number, message: string): UpstreamAnswer {
  return { message: { jsonrpc: "2.0", id, error: { code, message } } };
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
