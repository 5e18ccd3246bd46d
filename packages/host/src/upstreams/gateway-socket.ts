import { LocalError, type RequestId } from "@vitrine/protocol";
import type { Carrier, CarrierParts, GatewayErrorCode, Sent } from "./gateway-carrier.ts";
import type { ListName } from "./upstream.ts";

const SUBPROTOCOL = "vitrine.mcp.v1";
const EXPIRED = 4401;
// Full jitter: after a restart of the gateway thousands of pages reconnect, and must not do so all at
// once.
const SHORTEST = 500;
const LONGEST = 15_000;
/**
 * Attempts without a first success, after which the network is considered unable to use WebSockets.
 */
const TRIES = 3;
/** Milliseconds that a gateway keeps responses for a view that is disconnected. */
const KEPT = 30_000;

/** Sends messages over a WebSocket that reconnects when it breaks. */
export function socketCarrier({
  url,
  ticket,
  onListChanged,
  onLost,
  onUseless,
}: CarrierParts): Carrier {
  const address = new URL(url);
  address.protocol = url.protocol === "http:" ? "ws:" : "wss:";
  const pending = new Map<RequestId, Sent>();
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWelcome = false;
  let isClosed = false;
  let wasOpen = false;
  /** The gateway refused the view, so the next request decides whether to try again. */
  let isRefused = false;
  let failures = 0;
  let brokenAt = performance.now();

  const pass = (sent: Sent): void => {
    sent.isSent = true;
    socket?.send(JSON.stringify(sent.message));
  };

  /**
   * Requests that the gateway still tracks will be answered; the others may or may not have been
   * executed.
   */
  const welcome = (known: readonly RequestId[]): void => {
    isWelcome = true;
    wasOpen = true;
    failures = 0;
    for (const [id, sent] of [...pending]) {
      if (!sent.isSent) pass(sent);
      else if (!known.includes(id)) lose(id, sent);
    }
  };
  const lose = (id: RequestId, sent: Sent): void => {
    pending.delete(id);
    sent.fail(new LocalError<GatewayErrorCode>("outcome-unknown", sent.message.method));
  };

  const loseSent = (): void => {
    for (const [id, sent] of [...pending]) if (sent.isSent) lose(id, sent);
  };

  const receive = (text: string): void => {
    const message = JSON.parse(text) as Record<string, unknown>;
    if (message.vitrine === "welcome") welcome(message.pending as RequestId[]);
    else if (typeof message.method === "string") {
      note(message.method, Object(message.params), pending, onListChanged);
    } else {
      const sent = pending.get(message.id as RequestId);
      pending.delete(message.id as RequestId);
      sent?.settle(message as never);
    }
  };

  const open = async (isFresh: boolean): Promise<void> => {
    const pass = await ticket(isFresh);
    if (isClosed) return;
    socket = new WebSocket(address, [SUBPROTOCOL, `ticket.${pass}`]);
    socket.onmessage = ({ data }) => receive(`${data}`);
    socket.onclose = ({ code }) => again(code === EXPIRED);
  };

  const again = (isExpired: boolean): void => {
    if (isWelcome) brokenAt = performance.now();
    isWelcome = false;
    socket = undefined;
    if (isClosed) return;
    failures++;
    if (!wasOpen && failures >= TRIES) {
      isClosed = true;
      onUseless([...pending.values()]);
      return;
    }
    // The gateway doesn't come back in time: pending requests fail, and the next request tries again.
    if (performance.now() - brokenAt > KEPT) loseSent();
    const longest = Math.min(LONGEST, SHORTEST * 2 ** failures);
    // Uses the same ticket unless it was rejected: the gateway keeps responses under it, and
    // thousands of requests for new tickets are slower than thousands of reconnections.
    // A browser doesn't tell why a WebSocket was refused; a new ticket does. Much later than responses are kept
    // under the old one, and than a restart takes.
    const isStuck = performance.now() - brokenAt > 2 * KEPT;
    timer = setTimeout(start, Math.random() * longest, isExpired || isStuck);
  };
  const start = (isFresh: boolean): void => {
    isRefused = false;
    open(isFresh).catch((error: unknown) => {
      if (isFinal(error)) rest(error);
      else again(true);
    });
  };
  const rest = (error: Error): void => {
    isRefused = true;
    for (const [id, sent] of [...pending]) {
      pending.delete(id);
      sent.fail(error);
    }
    onLost(`${error.cause}`);
  };
  start(false);

  return {
    name: "websocket",
    send: (sent) => {
      pending.set(sent.message.id, sent);
      if (isWelcome) pass(sent);
      else if (isRefused) start(true);
    },
    cancel: (requestId) => {
      if (!pending.delete(requestId) || !isWelcome) return;
      const params = { requestId };
      socket?.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}

/** Whether the gateway said that this user can't have the view, which another attempt doesn't change. */
function isFinal(error: unknown): error is Error {
  const { code, status } = Object(error) as { code?: string; status?: number };
  return code === "gateway-refused" && [401, 403, 404].includes(status ?? 0);
}

/** A notification of the gateway: progress of a request, or a list that changed. */
export function note(
  method: string,
  params: Record<string, unknown>,
  pending: ReadonlyMap<RequestId, Sent>,
  onListChanged: (list: ListName) => void,
): void {
  if (method === "notifications/progress") {
    pending.get(params.progressToken as RequestId)?.onprogress?.(params as never);
  }
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(method)?.[1];
  if (list) onListChanged(list as ListName);
}
