import type { CallerMessage } from "../json-rpc/message.ts";
import { CallLifetime } from "./call-lifetime.ts";
import { EraCache, type EraFinding } from "./era.ts";
import { FairSlots } from "./fair-slots.ts";
import { GuardedUpstream, type GuardOptions } from "./guarded-upstream.ts";
import { type Sharing, scopeKey } from "./scope-key.ts";
import type { FloodLimits } from "./sessions/flood-gate.ts";
import {
  childEnvironment,
  type EnvironmentOptions,
  givenVariables,
} from "./stdio/child-environment.ts";
import type { ChildLimits } from "./stdio/child-wire.ts";
import { Children, type ChildrenOptions } from "./stdio/children.ts";
import { RESTARTS, type RestartOptions } from "./stdio/restarts.ts";
import { ISOLATION, type Isolation, type Runner } from "./stdio/runners/runner.ts";
import type { KeyedTransport, Listening, ServerChange, TransportCall } from "./transport.ts";
import type { DiscoverResult, OwnableUpstream, UpstreamAnswer, UpstreamScope } from "./upstream.ts";

/** A server that runs as a local program. Times in milliseconds. */
export interface StdioUpstreamOptions extends GuardOptions, EnvironmentOptions {
  id: string;
  /** Program and arguments. They aren't passed through a shell. */
  argv: readonly [string, ...string[]];
  cwd?: string;
  era?: "auto" | "modern" | "legacy";
  /** Isolates the processes. Without it, they can do what the gateway's user or their own user can. */
  runner?: Runner;
  isolation?: Partial<Isolation>;
  /** Which users share a process. */
  sharing?: Sharing;
  limits?: Partial<ChildLimits>;
  flood?: FloodLimits;
  restarts?: Partial<RestartOptions>;
  restartPatience?: number;
  /** Limits concurrent starts. Pass the same slots to all servers of a gateway. */
  spawns?: FairSlots;
  most?: number;
  idle?: number;
  lifetime?: number;
  /** Whether a process may be started now. In a cluster, only its owner may. */
  mayStart?(key: string): boolean;
  /** Milliseconds in which a process must become ready. */
  startTime?: number;
  /** Milliseconds until a process that doesn't report its era gets the handshake too. */
  probeTime?: number;
  holdTime?: number;
  eras?: EraCache;
}

const MINUTE = 60_000;

/** Concurrent starts for upstreams without shared slots. */
const SPAWNS = new FairSlots({ limit: 4, queue: 1000, perUser: 2 });

/** Creates an upstream for a program that exchanges lines of JSON. Starts nothing before the first call. */
export function createStdioUpstream(options: StdioUpstreamOptions): OwnableUpstream {
  return new GuardedUpstream(new StdioTransport(options), {
    ...options,
    id: options.id,
    kind: "stdio",
  });
}

class StdioTransport implements KeyedTransport {
  readonly #options: StdioUpstreamOptions;
  readonly #children: Children;

  constructor(options: StdioUpstreamOptions) {
    this.#options = options;
    const { era = "auto", eras = new EraCache() } = options;
    const key = `${options.id} ${JSON.stringify(options.argv)}`;
    this.#children = new Children(
      childrenOptions(options, (scope) => this.changeKey(scope)),
      {
        known: () => (era === "auto" ? eras.known(key)?.era : era),
        found: (finding: EraFinding) => eras.of(key, async () => finding),
      },
    );
  }

  changeKey(scope: UpstreamScope): string {
    return scopeKey(scope, this.#options.sharing ?? "user");
  }

  stateKey(scope: UpstreamScope): string {
    return this.changeKey(scope);
  }

  end(key?: string): Promise<void> {
    return this.#children.end(key);
  }

  async send(call: TransportCall): Promise<UpstreamAnswer> {
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
    onChange: (change: ServerChange) => void,
  ): Promise<Listening> {
    return this.#within(async (lifetime) => {
      const child = await this.#children.get(scope, lifetime);
      const { closed, sendsChanges, stop } = await child.session.listen(resources, lifetime);
      // A subscription counts as use.
      child.users++;
      child.listeners.add(onChange);
      const end = (): void => {
        if (child.listeners.delete(onChange)) child.users--;
      };
      return {
        closed: closed.then(end),
        sendsChanges,
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
  const { argv, cwd, user, runner } = options;
  const isolation = { ...ISOLATION, ...options.isolation };
  return {
    keyOf,
    command: { argv, cwd, user, env: childEnvironment(options), given: givenVariables(options) },
    isolate: runner && ((command) => runner.wrap(command, isolation)),
    handshake: {
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
