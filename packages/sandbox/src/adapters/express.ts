import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sandbox } from "../handler.ts";
import { send, toRequest } from "./node-message.ts";

/** What Express adds to a request. */
interface ExpressRequest extends IncomingMessage {
  /** Its address with the mount path. */
  originalUrl?: string;
  /** The client's IP address, which the setting "trust proxy" decides on. */
  ip?: string | undefined;
}

/**
 * Middleware for Express and Connect: answers requests for the Sandbox and passes on all others.
 * Use it before any body parser, which would consume the body.
 */
export function createExpressMiddleware(
  sandbox: Pick<Sandbox, "fetch" | "handles">,
): (incoming: ExpressRequest, outgoing: ServerResponse, next: () => void) => void {
  return (incoming, outgoing, next) => {
    const request = toRequest(incoming, incoming.originalUrl ?? incoming.url);
    if (!request || !sandbox.handles(request)) next();
    else {
      const address = incoming.ip ?? incoming.socket.remoteAddress;
      sandbox.fetch(request, { address }).then((response) => send(response, outgoing));
    }
  };
}
