import { UpstreamError } from "../upstream.ts";

/**
 * The server no longer knows the session and rejected the request unread. It wasn't executed, so it can be
 * sent in a new session.
 */
export class SessionLostError extends UpstreamError {
  constructor() {
    super("unreachable", "The server no longer knows the session.", { status: 404, sent: false });
  }
}
