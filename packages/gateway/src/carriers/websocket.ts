// The same frames over a WebSocket, one for each View: no head for each call, progress pushed, changes of
// lists told. Whoever comes back with the same ticket is given what was answered in the meantime; what this
// process knows nothing of, the Host reports as of unknown outcome.

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Admitted, createAdmission } from "../pipeline/admission.ts";
import type { Pipeline } from "../pipeline/pipeline.ts";
import { type Refusal, refuse, statusOf, toErrorFrame } from "../pipeline/refusal.ts";
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
  const connections = new Map<WebSocket, Connection>();
  const heartbeat = setInterval(() => beat(connections), HEARTBEAT / BEATS).unref();
  let isDraining = false;
  let accepted = 0;
  let second = 0;

  const admitNow = (): Refusal | undefined => {
    if (isDraining) return refuse("draining", "This process is closing.", { retryAfter: 1 });
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) accepted = 0;
    second = now;
    // Thousands that come back at once are spread out, before anything of theirs is verified.
    if (++accepted <= acceptsPerSecond) return undefined;
    return refuse("busy", "Too many at once; come again.", { retryAfter: 1 + (accepted % 5) });
  };

  const enter = async (request: IncomingMessage): Promise<Admitted | Refusal> => {
    const offered = `${request.headers["sec-websocket-protocol"] ?? ""}`
      .split(",")
      .map((name) => name.trim());
    const find = (prefix: string): string | undefined =>
      offered.find((name) => name.startsWith(prefix))?.slice(prefix.length);
    const [path = ""] = `${request.url}`.split("?");
    return (
      admitNow() ??
      admission({
        method: "GET",
        headers: request.headers,
        server: PATH.exec(path)?.[1] ?? "",
        ticket: find(TICKET_PREFIX),
        token: find(TOKEN_PREFIX),
        isUpgrade: true,
      })
    );
  };

  const attend = (socket: WebSocket, admitted: Admitted): void => {
    const connection = new Connection(socket, admitted, { pipeline, parking });
    connections.set(socket, connection);
    const undo = subscriptions.on(admitted.server, admitted.caller, ({ kind, uri }) => {
      const method =
        kind === "resource"
          ? "notifications/resources/updated"
          : `notifications/${kind}/list_changed`;
      connection.tell(JSON.stringify({ jsonrpc: "2.0", method, params: uri ? { uri } : {} }));
    });
    socket.on("message", (data, isBinary) => {
      if (isBinary) socket.close(1003, "text only");
      else void connection.serve(data.toString());
    });
    socket.on("close", () => {
      undo();
      connections.delete(socket);
      connection.end();
    });
    socket.on("error", terminate);
    socket.on("pong", () => {
      connection.isAlive = true;
    });
  };

  return {
    get size() {
      return server.clients.size;
    },
    upgrade: (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      enter(request).then(
        (admitted) => {
          if ("code" in admitted) return refuseUpgrade(socket, admitted);
          server.handleUpgrade(request, socket, head, (opened) => attend(opened, admitted));
        },
        () =>
          refuseUpgrade(socket, refuse("internal", "The gateway failed; its log has the cause.")),
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

let turn = 0;

/**
 * A socket that does not answer is gone, whatever TCP believes. A part of them at each beat, so that the
 * pings of thousands do not leave at the same moment.
 */
function beat(connections: ReadonlyMap<WebSocket, Connection>): void {
  turn = (turn + 1) % BEATS;
  let at = 0;
  for (const [socket, connection] of connections) {
    if (at++ % BEATS !== turn) continue;
    if (connection.isAlive) socket.ping();
    else socket.terminate();
    connection.isAlive = false;
  }
}

/** One function for all sockets, not one each. */
function terminate(this: WebSocket): void {
  this.terminate();
}

function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const status = statusOf(refusal.code) === 200 ? 403 : statusOf(refusal.code);
  const body = toErrorFrame(null, refusal);
  const retry = refusal.retryAfter === undefined ? "" : `retry-after: ${refusal.retryAfter}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: application/json\r\n${retry}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
