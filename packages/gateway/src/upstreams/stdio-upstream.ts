import type { CallerMessage } from "../json-rpc/message.ts";
import { CallLifetime } from "./call-lifetime.ts";
import { EraCache, type EraFinding } from "./era.ts";
import { FairSlots } from "./fair-slots.ts";
import { type ClientIdentity, GATEWAY_IDENTITY } from "./frames/envelope.ts";
import { GuardedUpstream, type GuardOptions } from "./guarded-upstream.ts";
import type { KeyedLeg, LegCall, Listening, News } from "./leg.ts";
import { type Sharing, scopeKey } from "./scope-key.ts";
import type { FloodLimits } from "./sessions/flood-gate.ts";
import type { ChildLimits } from "./stdio/child-wire.ts";
import { Children, type ChildrenOptions } from "./stdio/children.ts";
import { childEnvironment, type EnvironmentOptions } from "./stdio/environment.ts";
import { RESTARTS, type RestartOptions } from "./stdio/restarts.ts";
import type { DiscoverResult, OwnableUpstream, UpstreamAnswer, UpstreamScope } from "./upstream.ts";

/** A server that is a program. Times in milliseconds. */
export interface StdioUpstreamOptions extends GuardOptions, EnvironmentOptions {
  id: string;
  /** Program and arguments, as they are: no shell reads them. */
  argv: readonly [string, ...string[]];
  cwd?: string;
  era?: "auto" | "modern" | "legacy";
  /** Who shares a process, if no variables of the user's are needed. */
  sharing?: Sharing;
  limits?: Partial<ChildLimits>;
  flood?: FloodLimits;
  restarts?: Partial<RestartOptions>;
  restartPatience?: number;
  /** Starts at once; give all servers of a gateway the same. */
  spawns?: FairSlots;
  most?: number;
  idle?: number;
  lifetime?: number;
  /** Whether a process may be started now; where several gateways are one, only its owner may. */
  mayStart?(key: string): boolean;
  /** For a process to become ready. */
  startTime?: number;
  /** Until a process that does not say its era is offered the handshake too. */
  probeTime?: number;
  holdTime?: number;
  eras?: EraCache;
  identity?: ClientIdentity;
}

const MINUTE = 60_000;

/** Starts at once, for those who share no others. */
const SPAWNS = new FairSlots({ limit: 4, queue: 1000, perUser: 2 });

/** An upstream that is a program with JSON lines. Nothing is started before the first call. */
export function createStdioUpstream(options: StdioUpstreamOptions): OwnableUpstream {
  return new GuardedUpstream(new StdioLeg(options), { ...options, id: options.id, kind: "stdio" });
}

class StdioLeg implements KeyedLeg {
  readonly #options: StdioUpstreamOptions;
  readonly #children: Children;

  constructor(options: StdioUpstreamOptions) {
    this.#options = options;
    const { era = "auto", eras = new EraCache() } = options;
    const key = `${options.id} ${JSON.stringify(options.argv)}`;
    this.#children = new Children(
      childrenOptions(options, (scope) => this.newsKey(scope)),
      {
        known: () => (era === "auto" ? eras.known(key)?.era : era),
        found: (finding: EraFinding) => eras.of(key, async () => finding),
      },
    );
  }

  newsKey(scope: UpstreamScope): string {
    return scopeKey(scope, this.#options.sharing ?? "user");
  }

  stateKey(scope: UpstreamScope): string {
    return this.newsKey(scope);
  }

  end(key?: string): Promise<void> {
    return this.#children.end(key);
  }

  async send(call: LegCall): Promise<UpstreamAnswer> {
    const child = await this.#children.get(call.scope, call.lifetime);
    child.users++;
    try {
      return await child.session.send(call);
    } finally {
      child.users--;
      child.usedAt = performance.now();
    }
  }

  notify(message: CallerMessage, scope: UpstreamScope): Promise<void> {
    return this.#within(async (lifetime) => {
      const child = await this.#children.get(scope, lifetime);
      await child.session.notify(message);
    });
  }

  async discover(scope: UpstreamScope, lifetime: CallLifetime): Promise<DiscoverResult> {
    const child = await this.#children.get(scope, lifetime);
    return child.session.discover(lifetime);
  }

  listen(
    scope: UpstreamScope,
    resources: readonly string[],
    hear: (news: News) => void,
  ): Promise<Listening> {
    return this.#within(async (lifetime) => {
      const child = await this.#children.get(scope, lifetime);
      const { closed, isHeard, stop } = await child.session.listen(resources, lifetime);
      // Who is listened to is in use.
      child.users++;
      child.hearers.add(hear);
      const end = (): void => {
        if (child.hearers.delete(hear)) child.users--;
      };
      return {
        closed: closed.then(end),
        isHeard,
        stop: () => {
          end();
          stop();
        },
      };
    });
  }

  close(): Promise<void> {
    return this.#children.close();
  }

  async #within<T>(run: (lifetime: CallLifetime) => Promise<T>): Promise<T> {
    const lifetime = new CallLifetime({ deadline: this.#options.ownDeadline ?? 30_000 });
    try {
      return await run(lifetime);
    } finally {
      lifetime.dispose();
    }
  }
}

function childrenOptions(
  options: StdioUpstreamOptions,
  keyOf: (scope: UpstreamScope) => string,
): ChildrenOptions {
  const { argv, cwd, user } = options;
  return {
    keyOf,
    command: (scope) => ({ argv, cwd, user, env: childEnvironment(options, scope.env) }),
    handshake: {
      identity: options.identity ?? GATEWAY_IDENTITY,
      holdTime: options.holdTime ?? 5 * MINUTE,
      probeTime: options.probeTime ?? 3000,
      patience: options.startTime ?? 30_000,
      flood: options.flood,
    },
    limits: options.limits ?? {},
    restarts: { ...RESTARTS, ...options.restarts },
    restartPatience: options.restartPatience ?? 2000,
    spawns: options.spawns ?? SPAWNS,
    most: options.most ?? 64,
    mayStart: options.mayStart ?? (() => true),
    idle: options.idle ?? 10 * MINUTE,
    lifetime: options.lifetime ?? 24 * 60 * MINUTE,
  };
}
