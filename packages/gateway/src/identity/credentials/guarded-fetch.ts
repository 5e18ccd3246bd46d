import { Agent, type RequestInit as UndiciInit, fetch as undiciFetch } from "undici";
import type { AddressGuard } from "../../upstreams/address-guard.ts";

/** The fetch function that the official SDK uses to reach an authorization server. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const LARGEST = 256 * 1024;
const TIME = 10_000;

/**
 * Fetches addresses from a server's metadata, which a third party controls. Only https and public addresses
 * are allowed, and response size and time are limited. The SDK follows redirects, within the origin only.
 */
export function createGuardedFetch(guard: AddressGuard): {
  fetch: GuardedFetch;
  close(): Promise<void>;
} {
  const dispatcher = new Agent({ connect: guard.connect, allowH2: false, keepAliveTimeout: 4000 });
  const fetch: GuardedFetch = async (url, init) => {
    guard.check(new URL(url));
    const answer = await undiciFetch(url, {
      ...(init as unknown as UndiciInit),
      redirect: "manual",
      credentials: "omit",
      signal: AbortSignal.timeout(TIME),
      dispatcher,
    });
    const body = await readBounded(answer.body);
    const { status, statusText } = answer;
    const headers = [...answer.headers] as [string, string][];
    const hasNone = status === 204 || status === 304;
    return new Response(hasNone ? null : body, { status, statusText, headers });
  };
  return { fetch, close: () => dispatcher.destroy() };
}

async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > LARGEST) throw new Error(`The response is larger than ${LARGEST} bytes.`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
