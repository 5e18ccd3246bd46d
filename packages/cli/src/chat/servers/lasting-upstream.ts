// A server's upstream that lasts while its connection comes and goes, so that views and lists follow a
// server that starts late or is started again.

import type { Client } from "@modelcontextprotocol/client";
import { type ListName, mcpClientUpstream, type Upstream } from "@vitrine/host";

/** An upstream whose connection can be replaced. */
export interface LastingUpstream {
  readonly upstream: Upstream;
  /** Uses this connection from now on; none if the server is away. */
  use(client: Client | undefined): void;
}

const LISTS: readonly ListName[] = ["tools", "resources", "prompts"];

/** Creates an upstream without a connection. */
export function createLastingUpstream(server: string): LastingUpstream {
  const listeners = new Set<(list: ListName) => void>();
  let current: Upstream | undefined;
  let stop = (): void => {};
  const announce = (list: ListName): void => {
    for (const listener of [...listeners]) listener(list);
  };
  return {
    upstream: {
      server,
      get capabilities() {
        return current?.capabilities ?? {};
      },
      request: async (method, params, options) => {
        if (!current) throw new Error(`The server "${server}" isn't connected.`);
        return current.request(method, params, options);
      },
      onListChanged: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    use: (client) => {
      stop();
      current = client && mcpClientUpstream(client, { server });
      stop = current?.onListChanged(announce) ?? (() => {});
      for (const list of LISTS) announce(list);
    },
  };
}
