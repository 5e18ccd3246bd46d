import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sandbox } from "../handler.ts";
import { send, toRequest } from "./node-message.ts";

/** What Express adds to a request: its address before a mount path was cut off. */
interface ExpressRequest extends IncomingMessage {
  originalUrl?: string;
}

/**
 * Middleware for Express and Connect: answers what is for the Sandbox and passes on all else. Use it
 * before any body parser, which would leave nothing to read.
 */
export function createExpressMiddleware(
  sandbox: Pick<Sandbox, "fetch" | "handles">,
): (incoming: ExpressRequest, outgoing: ServerResponse, next: () => void) => void {
  return (incoming, outgoing, next) => {
    const request = toRequest(incoming, incoming.originalUrl ?? incoming.url);
    if (!request || !sandbox.handles(request)) next();
    else sandbox.fetch(request).then((response) => send(response, outgoing));
  };
}
