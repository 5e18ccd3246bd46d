import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sandbox } from "../handler.ts";
import { send, toRequest } from "./node-message.ts";

/** A listener for `http.createServer`; the server itself belongs to whoever creates it. */
export function createNodeListener(
  sandbox: Pick<Sandbox, "fetch">,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    const request = toRequest(incoming);
    if (!request) outgoing.writeHead(400).end();
    else sandbox.fetch(request).then((response) => send(response, outgoing));
  };
}
