import { UpstreamError } from "../upstream.ts";

/**
 * The server does not know the session any more and turned the request away unread: it was not carried out,
 * and may be sent in a new session.
 */
export class SessionLostError extends UpstreamError {
  constructor() {
    super("unreachable", "The server has forgotten the session.", { status: 404, sent: false });
  }
}
