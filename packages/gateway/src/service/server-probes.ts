// Checks every server at the start and then every few minutes, so that its state, version and tools are known
// before a user calls it.

import type { ServerConfig } from "../config/config.ts";
import type { ServerReports } from "../observability/server-reports.ts";
import type { ServerBinding } from "../policy/server-binding.ts";

/** Checks servers. */
export interface ServerProbes {
  /** Checks one server now. Resolves to false if only its users can call it. */
  check(id: string): Promise<boolean>;
  close(): void;
}

/** The options of `createServerProbes`. */
export interface ServerProbesOptions {
  servers(): readonly ServerBinding[];
  config(id: string): ServerConfig | undefined;
  isPaused(id: string): boolean;
  reports: ServerReports;
  /** Milliseconds between two rounds. */
  interval?: number;
}

const INTERVAL = 5 * 60_000;
const AT_ONCE = 4;
/** The gateway's own requests. No user has an empty name. */
const OWN = { party: "model", tenant: "", user: "" } as const;

/** Starts checking. */
export function createServerProbes(options: ServerProbesOptions): ServerProbes {
  const { servers, config, isPaused, reports, interval = INTERVAL } = options;
  let isClosed = false;

  const check = async (id: string): Promise<boolean> => {
    const binding = servers().find((server) => server.id === id);
    const settings = config(id);
    if (!binding || !settings || !isOpenToAll(settings)) return false;
    try {
      const { tenant, user } = OWN;
      reports.describe(id, await binding.upstream.discover({ tenant, user }));
      binding.catalogue.invalidate("tools");
      await binding.catalogue.tools(OWN);
    } catch {
      // The upstream has reported the failure.
    }
    return true;
  };
  const round = async (): Promise<void> => {
    const waiting = servers()
      .map(({ id }) => id)
      .filter((id) => !isPaused(id));
    const work = async (): Promise<void> => {
      for (let id = waiting.shift(); id !== undefined && !isClosed; id = waiting.shift()) {
        await check(id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };
  const timer = setInterval(() => void round(), interval);
  timer.unref();
  void round();
  return {
    check,
    close: () => {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** A server that each user logs in to or is named to, or that has a process for each user, is only called for its users. */
function isOpenToAll({ url, oauth, identity, sharing }: ServerConfig): boolean {
  if (url === undefined) return sharing === "all";
  return oauth === undefined && (identity?.kind ?? "client-credentials") === "client-credentials";
}
