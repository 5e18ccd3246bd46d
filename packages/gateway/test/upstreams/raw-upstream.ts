import { type RawRequest, type RawServer, serveRaw } from "@vitrine/internal/raw-server";
import { createAddressGuard } from "../../src/upstreams/address-guard.ts";
import { createHttpUpstream, type HttpUpstreamOptions } from "../../src/upstreams/http-upstream.ts";
import type { Upstream } from "../../src/upstreams/upstream.ts";

/** A minimal result. */
export const complete = (id: unknown, extra = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", ...extra } });

/** A hand-made connection to a server. */
export function connect(
  { url, port }: RawServer,
  options: Partial<HttpUpstreamOptions> = {},
): Upstream {
  const guard = createAddressGuard({ exempt: [`127.0.0.1:${port}`] });
  return createHttpUpstream({ id: "s", url, era: "modern", guard, ...options });
}

/** Runs a test against a server with scripted responses. */
export async function withServer(
  answer: (request: RawRequest) => unknown,
  body: (upstream: Upstream, server: RawServer) => Promise<void>,
  options: Partial<HttpUpstreamOptions> = {},
): Promise<void> {
  await using server = await serveRaw(answer);
  const upstream = connect(server, options);
  try {
    await body(upstream, server);
  } finally {
    await upstream.close();
  }
}
