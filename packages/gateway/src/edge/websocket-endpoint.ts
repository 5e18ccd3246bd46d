// The same messages over a WebSocket, one per View. Compared with HTTP, it saves headers per call and can
// push progress and list changes. A client that reconnects with the same ticket receives the responses it
// missed. For requests that this process doesn't know, the Host reports an unknown outcome.

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import {
  type Refusal,
  type RefusalCode,
  refuse,
  statusOf,
  toErrorFrame,
} from "../errors/refusal.ts";
import type { createAdmission, RejectedAttempt } from "../policy/admission.ts";
import type { Caller, RequestHead } from "../policy/caller.ts";
import type { Admitted } from "../policy/exchange.ts";
import type { Pipeline } from "../policy/pipeline.ts";
import type { ServerBinding } from "../policy/server-binding.ts";
import type { Subscriptions } from "../policy/subscriptions.ts";
import type { Meter, Traffic } from "../policy/traffic.ts";
import { AcceptRate } from "./accept-rate.ts";
import { type ClientAddresses, createClientAddresses } from "./client-address.ts";
import { addressKey, type ConnectionGuard } from "./connection-guard.ts";
import { causeOf } from "./http-admission.ts";
import { ResumeBuffer } from "./resume-buffer.ts";
import { Connection } from "./view-connection.ts";

/** The options of `createWebSocketEndpoint`. */
export interface WebSocketEndpointOptions {
  admission: ReturnType<typeof createAdmission>;
  pipeline: Pipeline;
  subscriptions: Subscriptions;
  traffic: Traffic;
  connections: ConnectionGuard;
  /** Connections accepted per address and second. Further clients have to retry later. */
  acceptsPerSecond?: number;
  /** Maximum bytes of one message. */
  maxPayload?: number;
  onRejected?: ((who: RejectedAttempt) => void) | undefined;
  addresses?: ClientAddresses | undefined;
}

/** An admitted client and the meter for its traffic. */
interface Entered {
  admitted: Admitted;
  meter: Meter;
}

/** A connected View. */
export interface LiveView {
  /** The id of its ticket. */
  id: string;
  tenant: string;
  user: string;
  server: string;
  resource: string;
  /** Milliseconds since 1970. */
  openedAt: number;
  expires: number;
  /** Requests that it has sent. */
  calls: number;
}

/** The WebSocket endpoint. */
export interface WebSocketEndpoint {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly size: number;
  /** The connected Views. */
  views(): LiveView[];
  /** Closes the connections to some servers, or to all. */
  drop(
    which?: (server: ServerBinding) => boolean,
    /** The server was removed: the page has to get a new ticket, and so learns why there is none. */
    options?: { isGone?: boolean },
  ): void;
  /** Ends the connections of some callers and what is kept for them. */
  end(which: (caller: Caller) => boolean): void;
  /** Asks all clients to reconnect elsewhere, and waits for running calls. */
  drain(milliseconds: number): Promise<void>;
  close(): void;
}

/** The subprotocol. The ticket is offered next to it, because a page can't set headers for a WebSocket. */
export const SUBPROTOCOL = "vitrine.mcp.v1";
const TICKET_PREFIX = "ticket.";
const TOKEN_PREFIX = "token.";
const HEARTBEAT = 30_000;
const BEATS = 30;
const PATH = /^\/servers\/([\w.-]{1,128})\/mcp$/;
const MAX_PAYLOAD = 2 ** 20;
/** Milliseconds from the upgrade request to the open socket. */
const HANDSHAKE = 15_000;
const RENEWABLE: ReadonlySet<RefusalCode> = new Set([
  "ticket-invalid",
  "ticket-expired",
  "blocked",
]);
/** The token or ticket is invalid or expired. */
const CREDENTIAL_REFUSED = 4401;
const CLOSE_TIME = 1000;
/** Bytes of a masked control frame without its payload. */
const PONG_HEAD = 6;

/** Creates the WebSocket endpoint. */
export function createWebSocketEndpoint(options: WebSocketEndpointOptions): WebSocketEndpoint {
  const { admission, pipeline, subscriptions, traffic, acceptsPerSecond = 500 } = options;
  const { addresses = createClientAddresses() } = options;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: options.maxPayload ?? MAX_PAYLOAD,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const resumeBuffer = new ResumeBuffer();
  const shared = { pipeline, resumeBuffer };
  const connections = new Map<WebSocket, Connection>();
  const heartbeat = setInterval(() => {
    // Each heartbeat checks all sockets, including idle ones, which needs fewer timers than one per socket.
    for (const [socket, connection] of connections) if (connection.isExpired) expire(socket);
    pingSome(connections);
  }, HEARTBEAT / BEATS).unref();
  const accepts = new AcceptRate(acceptsPerSecond);
  let isDraining = false;

  const closing = (): Refusal | undefined =>
    isDraining
      ? refuse("draining", "The gateway is shutting down. Reconnect in a moment.", {
          retryAfter: 1,
        })
      : undefined;

  /** Runs before the credential is verified, which is the slowest step. */
  const waitForTurn = ({
    headers,
    socket,
  }: IncomingMessage): Refusal | Promise<Refusal | undefined> | undefined => {
    const wait = isDraining ? 0 : accepts.take(addressKey(addresses.of({ headers, socket })));
    if (wait === undefined) {
      const retryAfter = 1 + Math.floor(Math.random() * 5);
      return refuse("busy", "Too many clients are connecting at once. Try again later.", {
        retryAfter,
      });
    }
    return wait > 0 ? sleep(wait, undefined, { ref: false }).then(closing) : closing();
  };

  /** Counts the socket until it is closed. */
  const count = (admitted: Admitted, wire: Socket): Entered | Refusal => {
    if (wire.destroyed) return refuse("aborted", "The connection was closed.");
    const meter = traffic.meter(admitted.caller);
    if (!meter.hold("sockets")) {
      return refuse("busy", "You have too many open connections. Close some of them.", {
        retryAfter: 5,
      });
    }
    options.connections.hold(wire);
    wire.once("close", () => meter.release("sockets"));
    return { admitted, meter };
  };

  const enter = async (request: IncomingMessage, wire: Socket): Promise<Entered | Refusal> => {
    const head: RequestHead = {
      method: "GET",
      headers: request.headers,
      server: serverOf(request.url),
      ...offeredBy(request),
      isUpgrade: true,
      address: addresses.of(request),
    };
    const admitted = closing() ?? (await admission(head, () => waitForTurn(request)));
    return "code" in admitted ? admitted : count(admitted, wire);
  };

  const reportRejection = (request: IncomingMessage, refusal: Refusal): void =>
    options.onRejected?.({
      carrier: "websocket",
      refusal,
      server: serverOf(request.url),
      remote: addresses.of(request),
      cause: causeOf(refusal, offeredBy(request).token),
    });

  const attend = (socket: WebSocket, wire: Socket, entered: Entered): void => {
    // From here on, `ws` handles errors of the socket.
    wire.off("error", destroy);
    const connection = new Connection(socket, wire, { ...shared, ...entered });
    connections.set(socket, connection);
    subscriptions.join(connection);
    socket.on("message", (data: RawData, isBinary: boolean) => {
      if (isBinary) socket.close(1003, "text only");
      else if (connection.isExpired) expire(socket);
      else connection.receive(data as Buffer);
    });
    socket.on("close", () => forget(socket));
    socket.on("error", terminate);
    socket.on("pong", (data: Buffer) => connection.pong(data.length + PONG_HEAD));
  };
  function forget(socket: WebSocket): void {
    const connection = connections.get(socket);
    if (!connection) return;
    connections.delete(socket);
    subscriptions.leave(connection);
    connection.end();
  }
  /** Stops serving the socket. The Host reconnects with a new token or ticket. */
  function expire(socket: WebSocket): void {
    const connection = connections.get(socket);
    if (!connection) return;
    const isView = connection.caller.party === "view";
    forget(socket);
    closeWithCredentialCode(socket, isView ? "ticket-expired" : "token-expired");
  }

  return {
    get size() {
      return server.clients.size;
    },
    views: () => [...connections.values()].flatMap(liveViewOf),
    upgrade: (request, duplex, head) => {
      // In a `node:http` server the stream is always a `Socket`.
      const wire = duplex as Socket;
      wire.on("error", destroy);
      wire.setTimeout(HANDSHAKE, destroy);
      enter(request, wire).then(
        (entered) => {
          if ("code" in entered) reportRejection(request, entered);
          // The client disconnected while it waited.
          if (wire.destroyed) return;
          if (!("code" in entered)) {
            server.handleUpgrade(request, wire, head, (opened) => attend(opened, wire, entered));
          } else if (RENEWABLE.has(entered.code)) {
            server.handleUpgrade(request, wire, head, (opened) =>
              closeForInvalidTicket(opened, entered),
            );
          } else refuseUpgrade(wire, entered);
        },
        () => {
          const failed = refuse(
            "internal",
            "The gateway failed to handle the request. The operator finds the cause in its log.",
          );
          reportRejection(request, failed);
          refuseUpgrade(wire, failed);
        },
      );
    },
    drop: (which = () => true, { isGone = false } = {}) => {
      for (const [socket, { server }] of connections) {
        if (!which(server)) continue;
        if (isGone) closeWithCredentialCode(socket, "the server was removed");
        else socket.terminate();
      }
    },
    end: (which) => {
      for (const [socket, connection] of connections) {
        if (!which(connection.caller)) continue;
        forget(socket);
        closeWithCredentialCode(socket, "revoked");
      }
      // Also those of Views whose connection broke before.
      resumeBuffer.end(which);
    },
    drain: async (milliseconds) => {
      isDraining = true;
      for (const socket of server.clients) socket.close(1012, "restarting");
      const end = performance.now() + milliseconds;
      while (resumeBuffer.busy() && performance.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    close: () => {
      isDraining = true;
      clearInterval(heartbeat);
      resumeBuffer.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    },
  };
}

function liveViewOf({ caller, server, openedAt, requests }: Connection): LiveView[] {
  const { ticket, tenant, user } = caller;
  if (!ticket) return [];
  const { jti: id, resource, exp } = ticket;
  const opened = { id, tenant, user, server: server.id, resource, openedAt };
  return [{ ...opened, expires: exp * 1000, calls: requests }];
}

/** A page can't set headers, so it offers its credentials as subprotocols. */
function offeredBy({ headers }: IncomingMessage): Pick<RequestHead, "ticket" | "token"> {
  const offered = `${headers["sec-websocket-protocol"] ?? ""}`
    .split(",")
    .map((name) => name.trim());
  const find = (prefix: string): string | undefined =>
    offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);
  return { ticket: find(TICKET_PREFIX), token: find(TOKEN_PREFIX) };
}

let round = 0;

/**
 * Closes sockets that don't respond to pings, whatever TCP reports. Each heartbeat pings a part of them, so
 * that thousands of pings aren't sent at once.
 */
function pingSome(connections: ReadonlyMap<WebSocket, Connection>): void {
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
 * A page can't read the status of a refused upgrade, but it has to learn that its ticket is invalid. After
 * any other failure it reconnects with the same ticket, under which its responses are kept.
 */
function closeForInvalidTicket(socket: WebSocket, { code }: Refusal): void {
  socket.on("error", terminate);
  closeWithCredentialCode(socket, code);
}

/** Closes with the code that makes a Host get a new credential, and doesn't wait long for the client. */
function closeWithCredentialCode(socket: WebSocket, reason: string): void {
  socket.close(CREDENTIAL_REFUSED, reason);
  setTimeout(() => socket.terminate(), CLOSE_TIME).unref();
}

function refuseUpgrade(socket: Socket, refusal: Refusal): void {
  const status = statusOf(refusal.code) === 200 ? 403 : statusOf(refusal.code);
  const body = toErrorFrame(null, refusal);
  const retry = refusal.retryAfter === undefined ? "" : `retry-after: ${refusal.retryAfter}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n${retry}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // Closes both directions, because the client may never close its own.
  socket.destroySoon();
}
