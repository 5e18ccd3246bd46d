import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sandbox } from "../handler.ts";
import { send, toRequest } from "./node-message.ts";

/**
 * Options for `http.createServer`. A View can set cookies for the whole domain of the Sandbox, which a
 * browser then sends with every request: 180 of 4 KiB. Node's own bound for headers is 16 KiB, and the
 * Sandbox has to answer to have them cleared.
 */
export const SANDBOX_SERVER_OPTIONS: { maxHeaderSize: number } = { maxHeaderSize: 2 ** 20 };

/** What the listener can't know by itself. */
export interface NodeListenerOptions {
  /**
   * The address of a request's client, by which quotas are kept; that of the connection by default.
   * Behind a proxy read it from the header that your proxy sets.
   */
  addressOf?(incoming: IncomingMessage): string | undefined;
}

/** A listener for `http.createServer`; the caller owns the server itself. */
export function createNodeListener(
  sandbox: Pick<Sandbox, "fetch">,
  { addressOf = ({ socket }) => socket.remoteAddress }: NodeListenerOptions = {},
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    const request = toRequest(incoming);
    if (!request) outgoing.writeHead(400).end();
    else {
      sandbox
        .fetch(request, { address: addressOf(incoming) })
        .then((response) => send(response, outgoing))
        // The client may have reset the connection halfway through its body.
        .catch(() => outgoing.destroy());
    }
  };
}
