// The page's end of `src/stage/upstream-link.ts`.

import type { ListName, Upstream, UpstreamCapabilities } from "@vitrine/host";
import type { Peer, Progress } from "@vitrine/protocol";

/** An upstream whose connection is in the process behind the page. */
export async function linkedUpstream(peer: Peer): Promise<Upstream> {
  const progress = new Map<string, (progress: Progress) => void>();
  const listeners = new Set<(list: ListName) => void>();
  let lastToken = 0;
  peer.on("upstream/progress", (params) => {
    const { token, ...report } = params as Progress & { token: string };
    progress.get(token)?.(report);
  });
  peer.on("upstream/changed", (params) => {
    const { list } = params as { list: ListName };
    for (const listener of [...listeners]) listener(list);
  });
  const about = (await peer.request("upstream/capabilities", {})) as {
    server: string;
    capabilities: UpstreamCapabilities;
  };
  return {
    ...about,
    request: async (method, params, { signal, onprogress } = {}) => {
      const token = onprogress ? String(++lastToken) : undefined;
      if (token !== undefined && onprogress) progress.set(token, onprogress);
      try {
        const asked = { params, ...(token !== undefined && { token }) };
        // The server's time isn't limited here; callers pass a signal.
        return (await peer.request(`upstream/${method}` as string, asked, {
          signal,
          timeout: 2 ** 31 - 1,
        })) as never;
      } finally {
        if (token !== undefined) progress.delete(token);
      }
    },
    onListChanged: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
