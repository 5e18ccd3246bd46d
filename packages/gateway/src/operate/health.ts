// Two questions of whoever looks after many processes: is it alive, and should it get requests. The second
// is answered no while it closes, and while it could not record what it does.

import type { Audit } from "../audit/index.ts";
import type { Engine } from "../engine/engine.ts";

/** How the gateway does. */
export interface Health {
  /** Nothing if it is ready, else why it is not. */
  problems(): Promise<readonly string[]>;
  /** From now on it is not ready. */
  drain(): void;
  readonly isDraining: boolean;
}

const REMEMBERED = 2000;

/** Watches an engine and its audit log. */
export function createHealth(
  { engine, audit }: { engine: Engine; audit: Pick<Audit, "state"> },
  clock: () => number = () => performance.now(),
): Health {
  const probe = engine.kv("health", { durable: true });
  let isDraining = false;
  let last: { at: number; result: Promise<string | undefined> } | undefined;

  /** Whether something can be written; asked often, tried seldom. */
  const tryEngine = (): Promise<string | undefined> => {
    const now = clock();
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
      // An engine that all processes share is away for all of them at once: who took them all out of service
      // would stop the calls that do not need it. Those that do are refused one by one.
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
