// The gateway's own token for a server (client credentials), the same for all users.

import type { ServerToken, TokenRequests } from "./token-request.ts";
import type { TokenSource } from "./token-upstream.ts";

/** Milliseconds before its expiry when a token is replaced. */
const MARGIN = 30_000;
/** Milliseconds after a failure in which the endpoint isn't asked again. */
const PAUSE = 1000;

/** Creates the source of one server's token. */
export function createServiceToken(
  requests: TokenRequests,
  { clock = Date.now }: { clock?: () => number } = {},
): TokenSource {
  let current: ServerToken | undefined;
  let running: Promise<ServerToken> | undefined;
  let failed: { at: number; error: unknown } | undefined;

  const load = (): Promise<ServerToken> => {
    if (failed && clock() - failed.at < PAUSE) return Promise.reject(failed.error);
    running ??= requests
      .request({ grant_type: "client_credentials" })
      .then(
        (token) => {
          failed = undefined;
          current = token;
          return token;
        },
        (error: unknown) => {
          failed = { at: clock(), error };
          throw error;
        },
      )
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    isShared: true,
    get: async () => {
      const left = (current?.expires ?? 0) - clock();
      if (current && left > MARGIN) return current.token;
      // A token that still works is used while the endpoint is down.
      return (
        await load().catch((error: unknown) => {
          if (current && left > 0) return current;
          throw error;
        })
      ).token;
    },
    renew: async (_scope, rejected) => {
      if (current && current.token !== rejected) return current.token;
      current = undefined;
      return (await load()).token;
    },
    newest: () => current?.token,
    close: () => requests.close(),
  };
}
