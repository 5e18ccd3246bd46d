import type { CallerMessage } from "../json-rpc/message.ts";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { CallLifetime } from "./call-lifetime.ts";
import { EraCache, type EraFinding, hasModernVersion } from "./era.ts";
import { discoverResult } from "./frames/answer.ts";
import { type ClientIdentity, GATEWAY_IDENTITY, ownRequest } from "./frames/envelope.ts";
import { GuardedUpstream, type GuardOptions } from "./guarded-upstream.ts";
import {
  createHttpConnection,
  type HttpConnection,
  type TrafficLimits,
} from "./http/connection.ts";
import { statusError } from "./http/http-status.ts";
import { LegacyHttpWire } from "./http-legacy.ts";
import { type Exchange, ModernHttp } from "./http-modern.ts";
import type { KeyedLeg, Leg, LegCall, Listening, News } from "./leg.ts";
import { type Sharing, scopeKey } from "./scope-key.ts";
import { LegacySessions, type LegacySessionsOptions } from "./sessions/legacy-sessions.ts";
import { LegacySseWire } from "./sse-legacy.ts";
import {
  type DiscoverResult,
  type OwnableUpstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamScope,
} from "./upstream.ts";

/** A server at an address. */
export interface HttpUpstreamOptions extends GuardOptions {
  id: string;
  url: string | URL;
  /** The era, if the operator knows it; by default the server is asked. */
  era?: "auto" | "modern" | "legacy";
  /** `sse` for a server of 2024-11-05. */
  transport?: "http" | "sse";
  /** The operator's headers, the same for all users. */
  headers?: Readonly<Record<string, string>>;
  guard?: AddressGuard;
  limits?: Partial<TrafficLimits>;
  /** Who shares a session, with a server that has sessions and gets no credential of the user's. */
  sharing?: Sharing;
  eras?: EraCache;
  identity?: ClientIdentity;
  sessions?: Partial<Pick<LegacySessionsOptions, "idle" | "most" | "holdTime" | "patience">>;
}

/** An upstream over HTTP, of whatever era. Throws `refused-address` for an address that is not allowed. */
export function createHttpUpstream(options: HttpUpstreamOptions): OwnableUpstream {
  const { id, transport = "http" } = options;
  return new GuardedUpstream(new HttpLeg(options), { ...options, id, kind: transport });
}

const UNSUPPORTED_VERSION = -32022;

/** Asks which era the server is of, and speaks to it accordingly. */
class HttpLeg implements KeyedLeg {
  readonly #options: HttpUpstreamOptions;
  readonly #connection: HttpConnection;
  readonly #identity: ClientIdentity;
  readonly #eraPrefix: string;
  readonly #eras: EraCache;
  readonly #modern: ModernHttp;
  readonly #legacy: Record<"http" | "sse", LegacySessions>;

  constructor(options: HttpUpstreamOptions) {
    const { url, guard = createAddressGuard(), headers, limits } = options;
    this.#options = options;
    this.#identity = options.identity ?? GATEWAY_IDENTITY;
    this.#eras = options.eras ?? new EraCache();
    this.#connection = createHttpConnection({
      url: new URL(url),
      guard,
      ...(headers && { headers }),
      ...(limits && { limits }),
    });
    this.#eraPrefix = `${options.id} ${this.#connection.url.href}`;
    this.#modern = new ModernHttp(this.#connection, {
      identity: this.#identity,
      onDoubt: (scope) => this.#eras.doubt(this.#eraKey(scope)),
    });
    this.#legacy = {
      http: this.#sessions(async (scope) => new LegacyHttpWire(this.#connection, { scope })),
      sse: this.#sessions(async (scope) => {
        const wire = new LegacySseWire(this.#connection, { scope });
        await wire.open();
        return wire;
      }),
    };
  }

  newsKey(scope: UpstreamScope): string {
    // Without sessions the news depend on the credential alone, and one stream serves all who have none.
    const { era, sharing = "user" } = this.#options;
    const isModern = era === "modern" || this.#eras.known(this.#eraKey(scope))?.era === "modern";
    return scopeKey(scope, isModern ? "all" : sharing);
  }

  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined> {
    const { era = "auto", transport = "http", sharing = "user" } = this.#options;
    const keyIn = (found: "modern" | "legacy"): string | undefined =>
      found === "modern" ? undefined : scopeKey(scope, sharing);
    if (transport === "sse") return keyIn("legacy");
    const known = era === "auto" ? this.#eras.known(this.#eraKey(scope))?.era : era;
    if (known) return keyIn(known);
    return this.#eras.of(this.#eraKey(scope), () => this.#look(scope)).then((v) => keyIn(v.era));
  }

  async end(key?: string): Promise<void> {
    await Promise.all([this.#legacy.http.end(key), this.#legacy.sse.end(key)]);
  }

  send(call: LegCall): Promise<UpstreamAnswer> {
    // What is known needs no race with the deadline, which would be a twentieth of the hop.
    const known = this.#knownLeg(call.scope);
    if (known) return known.send(call);
    return call.lifetime.race(this.#leg(call.scope)).then((leg) => leg.send(call));
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const leg = await this.#leg(scope);
    await leg.notify(message, scope);
  }

  async discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult> {
    const leg = await lifetime.race(this.#leg(scope));
    return leg.discover(scope, lifetime);
  }

  async listen(
    scope: UpstreamScope,
    resources: readonly string[],
    hear: (news: News) => void,
  ): Promise<Listening> {
    const leg = await this.#leg(scope);
    return leg.listen(scope, resources, hear);
  }

  async close(): Promise<void> {
    await Promise.all([this.#legacy.http.close(), this.#legacy.sse.close()]);
    await this.#connection.close();
  }

  #sessions(connect: LegacySessionsOptions["connect"]): LegacySessions {
    const { sessions, sharing = "user" } = this.#options;
    const keyOf = (scope: UpstreamScope): string => scopeKey(scope, sharing);
    return new LegacySessions({ identity: this.#identity, connect, keyOf, ...sessions });
  }

  /** What the server speaks may depend on the credential, and on nothing else of the caller. */
  #eraKey(scope: UpstreamScope): string {
    return `${this.#eraPrefix} ${scopeKey(scope, "all")}`;
  }

  #knownLeg(scope: UpstreamScope): Leg | undefined {
    const { era = "auto", transport = "http" } = this.#options;
    if (transport === "sse") return this.#legacy.sse;
    if (era !== "auto") return era === "modern" ? this.#modern : this.#legacy.http;
    const verdict = this.#eras.known(this.#eraKey(scope));
    return verdict && this.#legOf(verdict);
  }

  async #leg(scope: UpstreamScope): Promise<Leg> {
    const known = this.#knownLeg(scope);
    if (known) return known;
    return this.#legOf(await this.#eras.of(this.#eraKey(scope), () => this.#look(scope)));
  }

  #legOf(finding: EraFinding): Leg {
    if (finding.era === "modern") return this.#modern;
    return finding.transport === "sse" ? this.#legacy.sse : this.#legacy.http;
  }

  async #look(scope: UpstreamScope): Promise<EraFinding> {
    const lifetime = new CallLifetime({ deadline: this.#options.ownDeadline ?? 30_000 });
    try {
      const request = ownRequest("discover", "server/discover", this.#identity);
      const exchange = await this.#modern.exchange({ message: request, scope, lifetime });
      const modern = modernFinding(exchange);
      if (modern) return modern;
      return { era: "legacy", transport: await this.#legacyTransport(scope, lifetime) };
    } catch (error) {
      // Nothing was asked for yet, so nothing can have happened.
      throw error instanceof UpstreamError ? error.with({ sent: false }) : error;
    } finally {
      lifetime.dispose();
    }
  }

  /** Opens a session, the way the specification says to tell the two older transports apart. */
  async #legacyTransport(scope: UpstreamScope, lifetime: CallLifetime): Promise<"http" | "sse"> {
    try {
      await this.#legacy.http.discover(scope, lifetime);
      return "http";
    } catch (error) {
      const status = error instanceof UpstreamError ? error.facts.status : undefined;
      if (status !== 400 && status !== 404 && status !== 405) throw error;
      await this.#legacy.sse.discover(scope, lifetime);
      return "sse";
    }
  }
}

/** The finding, if the answer to `server/discover` is one of 2026-07-28. Throws when it says nothing. */
function modernFinding({ arrival, answer }: Exchange): EraFinding | undefined {
  const { status } = arrival;
  const isOutage = status === 401 || status === 403 || status === 429 || status >= 500;
  if (isOutage || (status >= 300 && status < 400)) throw statusError(arrival);
  if (!answer) return undefined;
  const discovered = discoverResult(answer);
  if (discovered && hasModernVersion(discovered.supportedVersions)) {
    return { era: "modern", discovered };
  }
  const { message } = answer;
  const error = "error" in message ? message.error : undefined;
  const data = error?.data as { supported?: unknown } | undefined;
  return error?.code === UNSUPPORTED_VERSION && hasModernVersion(data?.supported)
    ? { era: "modern" }
    : undefined;
}
