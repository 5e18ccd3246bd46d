// Liveness and readiness for an orchestrator. The gateway isn't ready while it shuts down, while it can't write
// audit records, while nobody can log in, or while it doesn't fit into its cluster.

import type { Audit } from "../audit/index.ts";
import type { Engine } from "../engine/engine.ts";

/** The gateway's health. */
export interface Health {
  /** Why the gateway isn't ready. Empty if it is. */
  problems(): Promise<readonly string[]>;
  /** Makes the gateway report that it isn't ready. */
  drain(): void;
  readonly isDraining: boolean;
}

const REMEMBERED = 2000;

/** Monitors an engine and its audit log. */
export function createHealth({
  engine,
  audit,
  canLogIn = () => true,
  obstacles = () => [],
}: {
  engine: Engine;
  audit: Pick<Audit, "state">;
  /** False while the keys of all issuers are missing. */
  canLogIn?: () => boolean;
  /** Why this gateway doesn't fit into its cluster. */
  obstacles?: (() => readonly string[]) | undefined;
}): Health {
  const probe = engine.kv("health", { durable: true });
  let isDraining = false;
  let last: { at: number; result: Promise<string | undefined> } | undefined;

  /** Whether the engine accepts writes. The result is cached, because health checks are frequent. */
  const tryEngine = (): Promise<string | undefined> => {
    const now = performance.now();
    if (!last || now - last.at > REMEMBERED) {
      const result = probe.put("probe", new Uint8Array(1)).then(
        () => undefined,
        (error: { code?: string }) => `engine ${error.code ?? "failing"}`,
      );
      last = { at: now, result };
    }
    return last.result;
  };

  return {
    problems: async () => {
      const problems: string[] = [];
      if (isDraining) problems.push("draining");
      if (audit.state.status === "failing") problems.push("audit failing");
      if (!canLogIn()) problems.push("nobody can log in");
      problems.push(...obstacles());
      // An outage of a shared engine affects all processes at once. If they all became unready, calls that
      // don't need the engine would fail too. Calls that need it are rejected one by one.
      const engineProblem = engine.caps.shared ? undefined : await tryEngine();
      if (engineProblem) problems.push(engineProblem);
      return problems;
    },
    drain: () => {
      isDraining = true;
    },
    get isDraining() {
      return isDraining;
    },
  };
}
