// The same frames over a WebSocket, one for each View: no head for each call, progress pushed, changes of
// lists told. Whoever comes back with the same ticket is given what was answered in the meantime; what this
// process knows nothing of, the Host reports as of unknown outcome.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Admitted, createAdmission, TurnedAway } from "../pipeline/admission.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import {
  type Refusal,
  type RefusalCode,
  refuse,
  statusOf,
  toErrorFrame,
} from "../pipeline/refusal.ts";
import type { ServerBinding } from "../servers.ts";
import type { Subscriptions } from "../subscriptions.ts";
import { Connection } from "./connection.ts";
import { Parking } from "./parking.ts";

/** What the WebSocket carrier is made of. */
export interface WebSocketCarrierOptions {
  admission: ReturnType<typeof createAdmission>;
  pipeline: Pipeline;
  subscriptions: Subscriptions;
  /** Connections that are let in each second; the others are told when to come again. */
  acceptsPerSecond?: number;
  /** Bytes of one message. */
  maxPayload?: number;
  onTurnedAway?: ((who: TurnedAway) => void) | undefined;
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
/** Milliseconds that somebody who comes may have to wait for being let in. */
const LONGEST_WAIT = 4000;
const RENEWABLE: ReadonlySet<RefusalCode> = new Set(["ticket-invalid", "ticket-expired"]);
/** A token or ticket that isn't valid, or no longer. */
const CREDENTIAL_REFUSED = 4401;
const FAREWELL = 1000;

/** Makes the WebSocket side. */
export function createWebSocketCarrier(options: WebSocketCarrierOptions): WebSocketCarrier {
  const { admission, pipeline, subscriptions, acceptsPerSecond = 500 } = options;
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
  let isDraining = false;
  let turn = 0;

  const closing = (): Refusal | undefined =>
    isDraining ? refuse("draining", "This process is closing.", { retryAfter: 1 }) : undefined;

  const admitNow = (): Refusal | Promise<Refusal | undefined> | undefined => {
    if (isDraining) return closing();
    // Thousands that come back at once are let in one after the other, before anything of theirs is verified:
    // a second's worth at once, some seconds' worth wait for their turn, and the others are sent away.
    const now = performance.now();
    const next = Math.max(turn, now - 1000) + 1000 / acceptsPerSecond;
    if (next - now > LONGEST_WAIT) {
      const retryAfter = 1 + Math.floor(Math.random() * 5);
      return refuse("busy", "Too many at once; come again.", { retryAfter });
    }
    turn = next;
    return next > now ? sleep(next - now, undefined, { ref: false }).then(closing) : undefined;
  };

  const enter = async (request: IncomingMessage): Promise<Admitted | Refusal> => {
    const offered = `${request.headers["sec-websocket-protocol"] ?? ""}`
      .split(",")
      .map((name) => name.trim());
    const find = (prefix: string): string | undefined =>
      offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);
    return (
      (await admitNow()) ??
      admission({
        method: "GET",
        headers: request.headers,
        server: serverOf(request.url),
        ticket: find(TICKET_PREFIX),
        token: find(TOKEN_PREFIX),
        isUpgrade: true,
      })
    );
  };

  const tell = ({ url, socket }: IncomingMessage, refusal: Refusal): void =>
    options.onTurnedAway?.({
      carrier: "websocket",
      refusal,
      server: serverOf(url),
      remote: socket.remoteAddress ?? "",
    });

  const attend = (socket: WebSocket, wire: Duplex, admitted: Admitted): void => {
    // From here on `ws` looks after its errors.
    wire.off("error", destroy);
    const connection = new Connection(socket, wire, admitted, office);
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
    else void connection?.serve(data.toString());
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
  function notice(this: WebSocket): void {
    const connection = connections.get(this);
    if (connection) connection.isAlive = true;
  }

  return {
    get size() {
      return server.clients.size;
    },
    upgrade: (request, socket, head) => {
      socket.on("error", destroy);
      enter(request).then(
        (admitted) => {
          if ("code" in admitted) tell(request, admitted);
          // Gone while it waited.
          if (socket.destroyed) return;
          if (!("code" in admitted)) {
            server.handleUpgrade(request, socket, head, (opened) =>
              attend(opened, socket, admitted),
            );
          } else if (RENEWABLE.has(admitted.code)) {
            server.handleUpgrade(request, socket, head, (opened) =>
              sendForTicket(opened, admitted),
            );
          } else refuseUpgrade(socket, admitted);
        },
        () => {
          const failed = refuse("internal", "The gateway failed; its log has the cause.");
          tell(request, failed);
          refuseUpgrade(socket, failed);
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
    if (connection.isAlive) socket.ping();
    else socket.terminate();
    connection.isAlive = false;
  }
}

function serverOf(url: string | undefined): string {
  const [path = ""] = `${url}`.split("?");
  return PATH.exec(path)?.[1] ?? "";
}

function terminate(this: WebSocket): void {
  this.terminate();
}

function destroy(this: Duplex): void {
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

function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const status = statusOf(refusal.code) === 200 ? 403 : statusOf(refusal.code);
  const body = toErrorFrame(null, refusal);
  const retry = refusal.retryAfter === undefined ? "" : `retry-after: ${refusal.retryAfter}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n${retry}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
