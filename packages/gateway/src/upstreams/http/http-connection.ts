import { Pool } from "undici";
import type { AddressGuard } from "../address-guard.ts";
import { UpstreamError, type UpstreamScope } from "../upstream.ts";

/** Limits on what a server may send. */
export interface TrafficLimits {
  /** Bytes of one message. */
  message: number;
  /** Bytes of all messages that belong to one request. */
  stream: number;
  /** Messages that belong to one request. */
  messages: number;
}

const mebi = 2 ** 20;

/** The defaults. */
export const TRAFFIC_LIMITS: TrafficLimits = {
  message: 8 * mebi,
  stream: 32 * mebi,
  messages: 10_000,
};

/** The address of a server, and how to connect to it. */
export interface HttpTarget {
  url: URL;
  guard: AddressGuard;
  /** The operator's headers, the same for all users. */
  headers?: Readonly<Record<string, string>>;
  /** Headers that name the user, new for each request. */
  identity?: ((scope: UpstreamScope) => Readonly<Record<string, string>>) | undefined;
  limits?: Partial<TrafficLimits>;
}

/** The connections to one server. */
export interface HttpConnection {
  readonly url: URL;
  readonly pool: Pool;
  readonly limits: TrafficLimits;
  /** The headers of a request: the operator's, the user's, and above them the protocol's. */
  headers(
    scope: UpstreamScope,
    own: Readonly<Record<string, string>>,
  ): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

// Headers of the connection or the body, which a credential must not set.
const RESERVED =
  /^(?:host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|accept|accept-encoding|mcp-.*)$/;

/** Creates the connections without opening any. Throws `refused-address` for a URL that isn't allowed. */
export function createHttpConnection(target: HttpTarget): HttpConnection {
  const { url, guard, identity } = target;
  guard.check(url);
  const pool = new Pool(url.origin, {
    connect: guard.connect,
    allowH2: false,
    pipelining: 1,
    // Calls have their own deadline, and a stream may be silent for long.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Servers close idle connections after five seconds, often without notice.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 60_000,
    keepAliveTimeoutThreshold: 2000,
  });
  const fixed = target.headers && allowed(target.headers);
  return {
    url,
    pool,
    limits: { ...TRAFFIC_LIMITS, ...target.limits },
    headers: (scope, own) => {
      const { headers, shared } = scope;
      if (!fixed && !headers && !shared && !identity) return own;
      // The identity comes last, so that nothing else can set its header.
      const named = identity && allowed(identity(scope));
      return {
        ...{ ...fixed, ...(shared && allowed(shared)), ...(headers && allowed(headers)) },
        ...{ ...named, ...own },
      };
    },
    async close() {
      if (pool.destroyed) return;
      await pool.destroy(new UpstreamError("closed", "This upstream was closed."));
    },
  };
}

function allowed(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!RESERVED.test(lower)) kept[lower] = value;
  }
  return kept;
}
