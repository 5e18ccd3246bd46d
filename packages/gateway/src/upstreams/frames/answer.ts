import { isRequestId } from "@vitrine/protocol";
import { type DiscoverResult, type UpstreamAnswer, UpstreamError } from "../upstream.ts";

type Id = string | number;

/** Checks that a server's response belongs to `id`, unless the server couldn't read the id. */
export function answerTo(id: Id, { message }: UpstreamAnswer): UpstreamAnswer {
  if (message.id === id) return { message };
  if (isRequestId(message.id)) {
    const about = JSON.stringify(message.id).slice(0, 40);
    const text = `The server responded to request ${about} instead of this one.`;
    throw new UpstreamError("malformed", text, { sent: true });
  }
  return readdressed(id, { message });
}

/** The same response under another id. */
export function readdressed(id: Id, { message }: UpstreamAnswer): UpstreamAnswer {
  return { message: { ...message, id } };
}

/** A response from the gateway itself. */
export function resultAnswer(id: Id, result: Record<string, unknown>): UpstreamAnswer {
  return { message: { jsonrpc: "2.0", id, result } };
}

/** An error from the gateway itself, in the form of a server's error. */
export function errorAnswer(id: Id, code: number, message: string): UpstreamAnswer {
  return { message: { jsonrpc: "2.0", id, error: { code, message } } };
}

/** The result of `server/discover`, if the response contains one. */
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
