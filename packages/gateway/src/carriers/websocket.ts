// The same frames over a WebSocket, one for each View: no head for each call, progress pushed, changes of
// lists told. Whoever comes back with the same ticket is given what was answered in the meantime; what this
// process knows nothing of, the Host reports as of unknown outcome.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Admitted, createAdmission, TurnedAway } from "../pipeline/admission.ts";
import type { RequestHead } from "../pipeline/exchange.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import {
  type Refusal,
  type RefusalCode,
  refuse,
  statusOf,
  toErrorFrame,
} from "../pipeline/refusal.ts";
import type { Meter, Traffic } from "../pipeline/traffic.ts";
import type { ServerBinding } from "../servers.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { AcceptRate } from "./accept-rate.ts";
import { Connection } from "./connection.ts";
import { addressKey, type ConnectionGuard } from "./connection-guard.ts";
import { Parking } from "./parking.ts";

/** What the WebSocket carrier is made of. */
export interface WebSocketCarrierOptions {
  admission: ReturnType<typeof createAdmission>;
  pipeline: Pipeline;
  subscriptions: Subscriptions;
  traffic: Traffic;
  connections: ConnectionGuard;
  /** Connections of one address that are accepted each second; the others have to retry later. */
  acceptsPerSecond?: number;
  /** Bytes of one message. */
  maxPayload?: number;
  onTurnedAway?: ((who: TurnedAway) => void) | undefined;
}

/** Who opens a socket, and what it counts for. */
interface Entered {
  admitted: Admitted;
  meter: Meter;
}

/** The WebSocket side. */
export interface WebSocketCarrier {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly size: number;
  /** Breaks the connections to some servers, or all. */
  drop(which?: (server: ServerBinding) => boolean): void;
  /** Asks all to come again elsewhere, and waits for what is under way. */
  drain(milliseconds: number): Promise<void>;
  close(): void;
}

/** The protocol that is spoken; the ticket is offered beside it, since a page can set no header. */
export const SUBPROTOCOL = "vitrine.mcp.v1";
const TICKET_PREFIX = "ticket.";
const TOKEN_PREFIX = "token.";
const HEARTBEAT = 30_000;
const BEATS = 30;
const PATH = /^\/servers\/([\w.-]{1,128})\/mcp$/;
const MAX_PAYLOAD = 2 ** 20;
/** Milliseconds from the request for a WebSocket to its opening. */
const HANDSHAKE = 15_000;
const RENEWABLE: ReadonlySet<RefusalCode> = new Set(["ticket-invalid", "ticket-expired"]);
/** A token or ticket that isn't valid, or no longer. */
const CREDENTIAL_REFUSED = 4401;
const FAREWELL = 1000;
/** Bytes of a control frame besides its payload, masked. */
const PONG_HEAD = 6;

/** Makes the WebSocket side. */
export function createWebSocketCarrier(options: WebSocketCarrierOptions): WebSocketCarrier {
  const { admission, pipeline, subscriptions, traffic, acceptsPerSecond = 500 } = options;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxPayload ?? MAX_PAYLOAD,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const parking = new Parking();
  const office = { pipeline, parking };
  const connections = new Map<WebSocket, Connection>();
  const heartbeat = setInterval(() => {
    // Idle sockets too: each beat checks all of them, which costs less than a timer for each.
    for (const [socket, connection] of connections) if (connection.isExpired) expire(socket);
    beat(connections);
  }, HEARTBEAT / BEATS).unref();
  const accepts = new AcceptRate(acceptsPerSecond);
  let isDraining = false;

  const closing = (): Refusal | undefined =>
    isDraining ? refuse("draining", "This process is closing.", { retryAfter: 1 }) : undefined;

  /** Before a credential is verified, which costs more than everything before it. */
  const waitForTurn = ({
    socket,
  }: IncomingMessage): Refusal | Promise<Refusal | undefined> | undefined => {
    const wait = isDraining ? 0 : accepts.take(addressKey(socket.remoteAddress));
    if (wait === undefined) {
      const retryAfter = 1 + Math.floor(Math.random() * 5);
      return refuse("busy", "Too many connections at once; try again later.", { retryAfter });
    }
    return wait > 0 ? sleep(wait, undefined, { ref: false }).then(closing) : closing();
  };

  /** Counts the socket until it is closed, whatever becomes of it. */
  const count = (admitted: Admitted, wire: Socket): Entered | Refusal => {
    if (wire.destroyed) return refuse("aborted", "The connection was closed.");
    const meter = traffic.meter(admitted.caller);
    if (!meter.hold("sockets")) {
      return refuse("busy", "Too many open connections; close some.", { retryAfter: 5 });
    }
    options.connections.hold(wire);
    wire.once("close", () => meter.release("sockets"));
    return { admitted, meter };
  };

  const enter = async (request: IncomingMessage, wire: Socket): Promise<Entered | Refusal> => {
    const offered = `${request.headers["sec-websocket-protocol"] ?? ""}`
      .split(",")
      .map((name) => name.trim());
    const find = (prefix: string): string | undefined =>
      offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);
    const head: RequestHead = {
      method: "GET",
      headers: request.headers,
      server: serverOf(request.url),
      ticket: find(TICKET_PREFIX),
      token: find(TOKEN_PREFIX),
      isUpgrade: true,
    };
    const admitted = closing() ?? (await admission(head, () => waitForTurn(request)));
    return "code" in admitted ? admitted : count(admitted, wire);
  };

  const tell = ({ url, socket }: IncomingMessage, refusal: Refusal): void =>
    options.onTurnedAway?.({
      carrier: "websocket",
      refusal,
      server: serverOf(url),
      remote: socket.remoteAddress ?? "",
    });

  const attend = (socket: WebSocket, wire: Socket, entered: Entered): void => {
    // From here on `ws` looks after its errors.
    wire.off("error", destroy);
    const connection = new Connection(socket, wire, { ...office, ...entered });
    connections.set(socket, connection);
    subscriptions.join(connection);
    socket.on("message", hear);
    socket.on("close", leave);
    socket.on("error", terminate);
    socket.on("pong", notice);
  };
  // One function for all sockets, not one each: thousands are open and idle.
  function hear(this: WebSocket, data: RawData, isBinary: boolean): void {
    const connection = connections.get(this);
    if (isBinary) this.close(1003, "text only");
    else if (connection?.isExpired) expire(this);
    else connection?.receive(data as Buffer);
  }
  function leave(this: WebSocket): void {
    forget(this);
  }
  function forget(socket: WebSocket): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connections.delete(socket);
    subscriptions.leave(connection);
    connection.end();
  }
  /** Nothing is served or sent from here on; the Host comes back with a new token or ticket. */
  function expire(socket: WebSocket): void {
    const isView = connections.get(socket)?.caller.party === "view";
    forget(socket);
    dismiss(socket, isView ? "ticket-expired" : "token-expired");
  }
  function notice(this: WebSocket, data: Buffer): void {
    connections.get(this)?.pong(data.length + PONG_HEAD);
  }

  return {
    get size() {
      return server.clients.size;
    },
    upgrade: (request, duplex, head) => {
      // A server of `node:http` has no other streams.
      const wire = duplex as Socket;
      wire.on("error", destroy);
      wire.setTimeout(HANDSHAKE, destroy);
      enter(request, wire).then(
        (entered) => {
          if ("code" in entered) tell(request, entered);
          // Gone while it waited.
          if (wire.destroyed) return;
          if (!("code" in entered)) {
            server.handleUpgrade(request, wire, head, (opened) => attend(opened, wire, entered));
          } else if (RENEWABLE.has(entered.code)) {
            server.handleUpgrade(request, wire, head, (opened) => sendForTicket(opened, entered));
          } else refuseUpgrade(wire, entered);
        },
        () => {
          const failed = refuse("internal", "The gateway failed; its log has the cause.");
          tell(request, failed);
          refuseUpgrade(wire, failed);
        },
      );
    },
    drop: (which = () => true) => {
      for (const [socket, { server }] of connections) if (which(server)) socket.terminate();
    },
    drain: async (milliseconds) => {
      isDraining = true;
      for (const socket of server.clients) socket.close(1012, "come again");
      const end = performance.now() + milliseconds;
      while (parking.busy() && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    close: () => {
      isDraining = true;
      clearInterval(heartbeat);
      parking.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

let round = 0;

/**
 * A socket that does not answer is gone, whatever TCP believes. A part of them at each beat, so that the
 * pings of thousands do not leave at the same moment.
 */
function beat(connections: ReadonlyMap<WebSocket, Connection>): void {
  round = (round + 1) % BEATS;
  let at = 0;
  for (const [socket, connection] of connections) {
    if (at++ % BEATS !== round) continue;
    if (connection.isLost()) socket.terminate();
    else socket.ping();
  }
}

function serverOf(url: string | undefined): string {
  const [path = ""] = `${url}`.split("?");
  return PATH.exec(path)?.[1] ?? "";
}

function terminate(this: WebSocket): void {
  this.terminate();
}

function destroy(this: Socket): void {
  this.destroy();
}

/**
 * A page cannot read the status of an upgrade that was refused. That its ticket is no longer good it has to
 * know: with any other failure it comes back with the ticket it has, under which its answers are kept.
 */
function sendForTicket(socket: WebSocket, { code }: Refusal): void {
  socket.on("error", terminate);
  dismiss(socket, code);
}

/** Closes with the code that tells a Host to get a new credential; it isn't waited for long. */
function dismiss(socket: WebSocket, reason: string): void {
  socket.close(CREDENTIAL_REFUSED, reason);
  setTimeout(() => socket.terminate(), FAREWELL).unref();
}

function refuseUpgrade(socket: Socket, refusal: Refusal): void {
  const status = statusOf(refusal.code) === 200 ? 403 : statusOf(refusal.code);
  const body = toErrorFrame(null, refusal);
  const retry = refusal.retryAfter === undefined ? "" : `retry-after: ${refusal.retryAfter}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n${retry}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Not half open: the other side may never close its half.
  socket.destroySoon();
}
