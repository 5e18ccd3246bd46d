// Everything that the dev host reads from the server goes through this process, and it then registers
// the same page with the sandbox: half a megabyte that need not be sent back. It is identified by its
// hash.

import { hash as hashOf } from "node:crypto";
import type { Upstream } from "@vitrine/host";

/** The pages that were read last. */
export interface ReadPages {
  /** The page with that SHA-256, in hexadecimal. */
  find(hash: string): string | undefined;
}

const KEPT = 8;

/** The same server, and the pages that were read from it. */
export function keepReadPages(upstream: Upstream): { upstream: Upstream; pages: ReadPages } {
  const kept = new Set<string>();
  const keep = ({ contents }: { contents?: unknown }): void => {
    for (const content of Array.isArray(contents) ? contents : []) {
      const { text } = Object(content);
      if (typeof text !== "string") continue;
      kept.delete(text);
      kept.add(text);
    }
    for (const text of kept) if (kept.size > KEPT) kept.delete(text);
  };
  return {
    upstream: {
      server: upstream.server,
      get capabilities() {
        return upstream.capabilities;
      },
      request: async (method, params, options) => {
        const answer = await upstream.request(method, params, options);
        if (method === "resources/read") keep(Object(answer));
        return answer;
      },
      onListChanged: (listener) => upstream.onListChanged(listener),
    },
    pages: {
      // The newest first, because it is requested next.
      find: (hash) => [...kept].reverse().find((text) => hashOf("sha256", text, "hex") === hash),
    },
  };
}
