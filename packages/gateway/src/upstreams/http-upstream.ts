import type { CallerMessage } from "../json-rpc/message.ts";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { CallLifetime } from "./call-lifetime.ts";
import { EraCache, type EraFinding, hasModernVersion } from "./era.ts";
import { discoverResult } from "./frames/answer.ts";
import { ownRequest } from "./frames/request-meta.ts";
import { GuardedUpstream, type GuardOptions } from "./guarded-upstream.ts";
import {
  createHttpConnection,
  type HttpConnection,
  type TrafficLimits,
} from "./http/http-connection.ts";
import { statusError } from "./http/http-status.ts";
import { LegacyHttpWire } from "./http-legacy.ts";
import { type Exchange, ModernHttp } from "./http-modern.ts";
import { type Sharing, scopeKey } from "./scope-key.ts";
import { LegacySessions, type LegacySessionsOptions } from "./sessions/legacy-sessions.ts";
import { LegacySseWire } from "./sse-legacy.ts";
import type {
  KeyedTransport,
  Listening,
  ServerChange,
  Transport,
  TransportCall,
} from "./transport.ts";
import {
  type DiscoverResult,
  type OwnableUpstream,
  type UpstreamAnswer,
  UpstreamError,
  type UpstreamScope,
} from "./upstream.ts";

/** A server at a URL. */
export interface HttpUpstreamOptions extends GuardOptions {
  id: string;
  url: string | URL;
  /** The protocol era if known. By default the server is probed. */
  era?: "auto" | "modern" | "legacy";
  /** `sse` for a server of 2024-11-05. */
  transport?: "http" | "sse";
  /** The operator's headers, the same for all users. */
  headers?: Readonly<Record<string, string>>;
  /** Headers that name the user. With them, users share no session and no stream. */
  identity?: ((scope: UpstreamScope) => Readonly<Record<string, string>>) | undefined;
  guard?: AddressGuard;
  limits?: Partial<TrafficLimits>;
  /** Which users share a session of a server that has sessions, if no per-user credential is sent. */
  sharing?: Sharing;
  eras?: EraCache;
  sessions?: Partial<Pick<LegacySessionsOptions, "idle" | "most" | "holdTime" | "patience">>;
}

/** Creates an upstream over HTTP, of any era. Throws `refused-address` for an address that isn't allowed. */
export function createHttpUpstream(options: HttpUpstreamOptions): OwnableUpstream {
  const { id, transport = "http" } = options;
  return new GuardedUpstream(new HttpTransport(options), { ...options, id, kind: transport });
}

const UNSUPPORTED_VERSION = -32022;

/** Detects the era of the server and uses the matching transport. */
class HttpTransport implements KeyedTransport {
  readonly #options: HttpUpstreamOptions;
  readonly #connection: HttpConnection;
  readonly #eraPrefix: string;
  readonly #eras: EraCache;
  readonly #modern: ModernHttp;
  readonly #legacy: Record<"http" | "sse", LegacySessions>;

  constructor(options: HttpUpstreamOptions) {
    const { url, guard = createAddressGuard(), headers, limits } = options;
    this.#options = options;
    this.#eras = options.eras ?? new EraCache();
    this.#connection = createHttpConnection({
      url: new URL(url),
      guard,
      identity: options.identity,
      ...(headers && { headers }),
      ...(limits && { limits }),
    });
    this.#eraPrefix = `${options.id} ${this.#connection.url.href}`;
    this.#modern = new ModernHttp(this.#connection, {
      onDoubt: (scope) => this.#eras.doubt(this.#eraKey(scope)),
    });
    this.#legacy = {
      http: this.#sessions(async (scope) => new LegacyHttpWire(this.#connection, scope)),
      sse: this.#sessions(async (scope) => {
        const wire = new LegacySseWire(this.#connection, scope);
        await wire.open();
        return wire;
      }),
    };
  }

  get #sharing(): Sharing {
    return this.#options.identity ? "user" : (this.#options.sharing ?? "user");
  }

  changeKey(scope: UpstreamScope): string {
    // Without sessions, changes depend on the credential only, so one stream serves all users without one.
    const isModern = this.#knownEra(scope)?.era === "modern";
    return scopeKey(scope, isModern && !this.#options.identity ? "all" : this.#sharing);
  }

  stateKey(scope: UpstreamScope): string | undefined | Promise<string | undefined> {
    const keyIn = ({ era }: EraFinding): string | undefined =>
      era === "modern" ? undefined : scopeKey(scope, this.#sharing);
    const known = this.#knownEra(scope);
    return known ? keyIn(known) : this.#findEra(scope).then(keyIn);
  }

  async end(key?: string): Promise<void> {
    await Promise.all([this.#legacy.http.end(key), this.#legacy.sse.end(key)]);
  }

  async send(call: TransportCall): Promise<UpstreamAnswer> {
    const transport = await call.lifetime.race(this.#transport(call.scope));
    return transport.send(call);
  }

  async notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    const transport = await this.#transport(scope);
    await transport.notify(message, scope);
  }

  async discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult> {
    const transport = await lifetime.race(this.#transport(scope));
    return transport.discover(scope, lifetime);
  }

  async listen(
    scope: UpstreamScope,
    resources: readonly string[],
    onChange: (change: ServerChange) => void,
  ): Promise<Listening> {
    const transport = await this.#transport(scope);
    return transport.listen(scope, resources, onChange);
  }

  async close(): Promise<void> {
    await Promise.all([this.#legacy.http.close(), this.#legacy.sse.close()]);
    await this.#connection.close();
  }

  #sessions(connect: LegacySessionsOptions["connect"]): LegacySessions {
    const { sessions } = this.#options;
    const keyOf = (scope: UpstreamScope): string => scopeKey(scope, this.#sharing);
    return new LegacySessions({ connect, keyOf, ...sessions });
  }

  /** The era may depend on the credential, but on nothing else of the caller. */
  #eraKey(scope: UpstreamScope): string {
    return `${this.#eraPrefix} ${scopeKey(scope, "all")}`;
  }

  #knownEra(scope: UpstreamScope): EraFinding | undefined {
    const { era = "auto", transport = "http" } = this.#options;
    if (transport === "sse" || era === "legacy") return { era: "legacy", transport };
    return era === "modern" ? { era } : this.#eras.known(this.#eraKey(scope));
  }

  #findEra(scope: UpstreamScope): Promise<EraFinding> {
    return this.#eras.of(this.#eraKey(scope), () => this.#look(scope));
  }

  async #transport(scope: UpstreamScope): Promise<Transport> {
    const found = this.#knownEra(scope) ?? (await this.#findEra(scope));
    if (found.era === "modern") return this.#modern;
    return found.transport === "sse" ? this.#legacy.sse : this.#legacy.http;
  }

  async #look(scope: UpstreamScope): Promise<EraFinding> {
    const lifetime = new CallLifetime({ deadline: this.#options.ownDeadline ?? 30_000 });
    try {
      const request = ownRequest("discover", "server/discover");
      const exchange = await this.#modern.exchange({ message: request, scope, lifetime });
      const modern = modernFinding(exchange);
      if (modern) return modern;
      return { era: "legacy", transport: await this.#legacyTransport(scope, lifetime) };
    } catch (error) {
      // No call was sent yet, so nothing can have happened.
      throw error instanceof UpstreamError ? error.with({ sent: false }) : error;
    } finally {
      lifetime.dispose();
    }
  }

  /**
   * Opens a session and finds out which of the two older transports it needs, as the specification describes.
   */
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

/** The finding if the response to `server/discover` is one of 2026-07-28. Throws if it is inconclusive. */
function modernFinding({ arrival, answer }: Exchange): EraFinding | undefined {
  const { status } = arrival;
  const isOutage = status === 401 || status === 403 || status === 429 || status >= 500;
  if (isOutage || (status >= 300 && status < 400)) throw statusError(arrival);
  if (!answer) return undefined;
  const { message } = answer;
  const error = "error" in message ? message.error : undefined;
  const data = error?.data as { supported?: unknown } | undefined;
  const isModern =
    hasModernVersion(discoverResult(answer)?.supportedVersions) ||
    (error?.code === UNSUPPORTED_VERSION && hasModernVersion(data?.supported));
  return isModern ? { era: "modern" } : undefined;
}
