// Lends a server's upstream to the page: the connection stays in this process, and the host in the
// page uses it through the link. `pages/linked-upstream.ts` is the other end.

import type { Upstream } from "@vitrine/host";
import { UPSTREAM_METHODS } from "@vitrine/host/remote";
import type { Peer } from "@vitrine/protocol";

/** Serves `upstream` to the other end of the peer. Returns a function that stops it. */
export function lendUpstream(peer: Peer, current: () => Upstream): () => void {
  peer.handle("upstream/capabilities", () => ({
    server: current().server,
    capabilities: current().capabilities,
  }));
  for (const method of UPSTREAM_METHODS) {
    peer.handle(`upstream/${method}`, (params, { signal }) => {
      const { token, params: asked } = params as { token?: string; params: never };
      const onprogress =
        token === undefined
          ? undefined
          : (progress: object) => void peer.notify("upstream/progress", { token, ...progress });
      return current().request(method, asked, { signal, onprogress });
    });
  }
  return current().onListChanged((list) => {
    // The page may be gone.
    if (peer.channel) peer.notify("upstream/changed", { list });
  });
}
