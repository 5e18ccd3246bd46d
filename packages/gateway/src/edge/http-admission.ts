import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Refusal, refuse, statusOf, toErrorFrame } from "../errors/refusal.ts";
import { COMBINED, type ProtectedResources } from "../identity/protected-resources.ts";
import { tokenCause } from "../identity/token-cause.ts";
import type { createAdmission, RejectedAttempt } from "../policy/admission.ts";
import type { RequestHead } from "../policy/caller.ts";
import type { Admitted } from "../policy/exchange.ts";
import type { Meter, Traffic } from "../policy/traffic.ts";
import type { ConnectionGuard } from "./connection-guard.ts";

/** Decides about a request before its body is read. */
export interface HttpAdmissionOptions {
  admission: ReturnType<typeof createAdmission>;
  traffic: Traffic;
  connections: ConnectionGuard;
  /** Maximum bytes of a body. */
  bodyLimit: number;
  /** Where a client without a valid token finds out how to log in. */
  resources?: ProtectedResources | undefined;
  onRejected?: ((who: RejectedAttempt) => void) | undefined;
}

/** Admits requests. Its `onRequest` hook belongs to the routes that need a caller. */
export interface HttpAdmission {
  admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  /** Resolves when the request may be served: its body has arrived, and its tenant is next. */
  turn(request: FastifyRequest): Promise<void>;
  /** The sender of an admitted request. */
  admitted(request: FastifyRequest): Admitted;
  /** Counts a response until the client has read it. A caller with too many unread bytes gets none. */
  respond(request: FastifyRequest, reply: FastifyReply, payload: unknown): void;
}

/** The header that carries a View's ticket over HTTP. */
export const TICKET_HEADER = "vitrine-view";

/** The path of the endpoint that combines all servers. */
export const COMBINED_PATH = "/mcp";

/** A rest of a body up to this size is read and discarded. For a larger one the connection is closed instead. */
const SMALL = 2 ** 16;
/** Milliseconds in which a client must read the end of a response. */
const READING_TIME = 30_000;
/** Milliseconds that a request waits at most while its caller sends too many messages. */
const LONGEST_WAIT = 1000;

/** Creates the check that runs before a body is read. */
export function createHttpAdmission(options: HttpAdmissionOptions): HttpAdmission {
  const { admission, traffic, connections, bodyLimit } = options;
  const known = new WeakMap<FastifyRequest, Admitted>();
  const meters = new WeakMap<FastifyRequest, Meter>();

  /** Counts the request, and releases its share when the response is sent or the connection closes. */
  const begin = async (
    { caller }: Admitted,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Refusal | undefined> => {
    const meter = traffic.meter(caller);
    const bytes = declaredLength(request) ?? bodyLimit;
    if (!meter.hold("atOnce")) {
      const message =
        "You have too many requests in progress (twice userAtOnce). Wait for a response.";
      return refuse("busy", message, { retryAfter: 1, data: { limit: "userAtOnce" } });
    }
    const wait = await waitForTurn(meter, bytes);
    if (wait > 0) {
      meter.release("atOnce");
      const retryAfter = Math.ceil(wait / 1000);
      const message = `You send messages too fast (five times userPerMinute). Try again in ${retryAfter} s.`;
      return refuse("rate", message, { retryAfter, data: { limit: "messages" } });
    }
    if (!meter.hold("bodyBytes", bytes)) {
      meter.release("atOnce");
      return refuse("busy", "Too many large requests are in progress. Try again in a moment.", {
        retryAfter: 1,
      });
    }
    const { socket } = request.raw;
    connections.hold(socket);
    meters.set(request, meter);
    reply.raw.once("close", () => {
      meter.release("atOnce");
      meter.release("bodyBytes", bytes);
      connections.release(socket);
    });
    return undefined;
  };

  return {
    admit: async (request, reply) => {
      const admitted = await admission(headOf(request), () => checkBody(request, bodyLimit));
      if ("code" in admitted) {
        const server = serverOf(request);
        const cause = causeOf(admitted, bearerOf(request.headers.authorization));
        const remote = request.ip;
        options.onRejected?.({ carrier: "http", refusal: admitted, server, remote, cause });
      }
      const refusal = "code" in admitted ? admitted : await begin(admitted, request, reply);
      if (refusal) {
        const challenge = challengeOf(refusal, request, options.resources);
        if (challenge !== undefined) reply.header("www-authenticate", challenge);
        return sendRefusal(discardBody(request, reply), refusal);
      }
      known.set(request, admitted as Admitted);
      return undefined;
    },
    turn: (request) => new Promise((resolve) => meters.get(request)?.inTurn(resolve)),
    admitted: (request) => known.get(request) as Admitted,
    respond: (request, { raw }, payload) => {
      const timer = setTimeout(() => raw.destroy(), READING_TIME).unref();
      raw.once("close", () => clearTimeout(timer));
      const meter = meters.get(request);
      const bytes = typeof payload === "string" ? payload.length : 0;
      meter?.spend(bytes);
      if (!meter || bytes < SMALL) return;
      if (!meter.hold("unread", bytes)) raw.destroy();
      else raw.once("close", () => meter.release("unread", bytes));
    },
  };
}

/**
 * Counts a message. Returns the milliseconds left to wait if the limit was exceeded for too long. The
 * connection isn't read during the wait, which is how HTTP slows down a flood.
 */
async function waitForTurn(meter: Meter, bytes: number): Promise<number> {
  const end = performance.now() + LONGEST_WAIT;
  let wait = meter.take(bytes);
  while (wait > 0 && performance.now() < end) {
    await sleep(Math.min(wait, LONGEST_WAIT), undefined, { ref: false });
    wait = meter.take(bytes);
  }
  return wait;
}

/** Responds with a refusal. */
export function sendRefusal(
  reply: FastifyReply,
  refusal: Refusal,
  text: string = toErrorFrame(null, refusal),
  instead?: number,
): FastifyReply {
  const status = statusOf(refusal.code);
  if (refusal.retryAfter !== undefined) reply.header("retry-after", `${refusal.retryAfter}`);
  if (status === 401 && !reply.hasHeader("www-authenticate")) {
    reply.header("www-authenticate", "Bearer");
  }
  return reply
    .code(status === 200 && instead ? instead : status)
    .type("application/json")
    .send(text);
}

function challengeOf(
  { code }: Refusal,
  request: FastifyRequest,
  resources: ProtectedResources | undefined,
): string | undefined {
  const server = serverOf(request);
  if (code === "insufficient-scope") return resources?.challenge(server, "insufficient_scope");
  if (code !== "unauthenticated") return undefined;
  // RFC 6750 3.1: no error code if the request had no token.
  const hasToken = request.headers.authorization !== undefined;
  return resources?.challenge(server, hasToken ? "invalid_token" : undefined);
}

/** Closes the connection after the response if much of the body is unread. */
export function discardBody(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const isSmall = (declaredLength(request) ?? SMALL + 1) <= SMALL;
  return isSmall ? reply : reply.header("connection", "close");
}

/** The body's length from the headers. Undefined if they don't contain it. */
export function declaredLength({ headers }: FastifyRequest): number | undefined {
  if (headers["transfer-encoding"] !== undefined) return undefined;
  return Number(headers["content-length"] ?? 0);
}

/** The token of an Authorization header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer ([\w~+/.=-]+)$/i.exec(header ?? "")?.[1];
}

/** Why a token was rejected, for the log. */
export function causeOf({ code }: Refusal, token: string | undefined): string | undefined {
  return code === "unauthenticated" ? tokenCause(token) : undefined;
}

function checkBody(request: FastifyRequest, limit: number): Refusal | undefined {
  if ((declaredLength(request) ?? 0) > limit) {
    return refuse("too-large", `The body has more than ${limit} bytes. Send less.`);
  }
  const [type = ""] = `${request.headers["content-type"] ?? ""}`.split(";");
  if (request.method === "POST" && type.trim().toLowerCase() !== "application/json") {
    return refuse("not-json", "Send the content type application/json.");
  }
  return undefined;
}

function headOf(request: FastifyRequest): RequestHead {
  const { headers, method } = request;
  const ticket = headers[TICKET_HEADER];
  return {
    method,
    headers,
    server: serverOf(request),
    isPageRoute: request.routeOptions.url?.endsWith("/mcp") === false,
    ticket: typeof ticket === "string" ? ticket : undefined,
    token: bearerOf(headers.authorization),
    isUpgrade: false,
    address: request.ip,
  };
}

/** The server in the address; the list of servers has none. */
function serverOf({ params, routeOptions }: FastifyRequest): string {
  if (routeOptions.url === COMBINED_PATH) return COMBINED;
  return (params as { id?: string }).id ?? "";
}
