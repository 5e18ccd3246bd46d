import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** Serves a Fetch handler on loopback. */
export async function serveHandler(
  fetch: (request: Request) => Promise<Response>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(getRequestListener(fetch));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/apps`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
