import { Agent, type RequestInit as UndiciInit, fetch as undiciFetch } from "undici";
import type { AddressGuard } from "../../upstreams/address-guard.ts";

/** What the official SDK calls to reach an authorization server. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const LARGEST = 256 * 1024;
const TIME = 10_000;

/**
 * Fetches what a server's metadata point to, which is a stranger's choice: https alone, public addresses
 * alone, a bounded answer in bounded time. Redirects are left to the SDK, which stays within the origin.
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
    if (size > LARGEST) throw new Error(`The answer has more than ${LARGEST} bytes.`);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}
