import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../failure.ts";
import { answerCallback } from "../stage/page-api.ts";

/** An address on this machine to which an authorization server sends the user back. */
export interface LoopbackCallback {
  readonly address: string;
  close(): Promise<void>;
}

/** Waits on a free port, or on a certain one; `onVisit` returns one sentence for the user. */
export async function openLoopbackCallback(
  onVisit: (parameters: URLSearchParams) => Promise<string>,
  { port = 0 }: { port?: number } = {},
): Promise<LoopbackCallback> {
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    response.setHeader("connection", "close");
    // A name that an attacker's DNS points to this machine isn't ours.
    const isOurs = headers.host === new URL(address).host && url.startsWith("/callback?");
    if (isOurs) void answerCallback(request, response, onVisit);
    else response.writeHead(404).end();
  });
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch (error) {
    throw new Failure(
      "port-taken",
      `Port ${port} can't be used: ${(error as Error).message}. Choose another one with --port.`,
      { cause: error },
    );
  }
  // By number: authorization servers accept it as an address of the user's own machine (RFC 8252).
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    address,
    close: async () => {
      const closed = once(server, "close");
      server.close().closeIdleConnections();
      // The user's page may still be on its way.
      const timer = setTimeout(() => server.closeAllConnections(), 1000);
      await closed;
      clearTimeout(timer);
    },
  };
}
