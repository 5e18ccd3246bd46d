import type { DiagnosticCode, Stage } from "./diagnostic.ts";

/** Milliseconds that a view may stay in a stage. */
export type StageTimes = Record<Exclude<Stage, "shown">, number>;

/** Generous on purpose: a slow network isn't an error, and a late view is still shown. */
export const STAGE_TIMES: StageTimes = {
  resource: 30_000,
  sandbox: 15_000,
  document: 20_000,
  initialize: 10_000,
  // A view that reports no size at all is shown as it is.
  initialized: 250,
};

const LATE: Record<Exclude<Stage, "shown" | "initialized">, DiagnosticCode> = {
  resource: "resource-failed",
  sandbox: "sandbox-timeout",
  document: "document-timeout",
  initialize: "initialized-timeout",
};

/** Tracks how far a view has come, and reports what it was waiting for when it takes too long. */
export class StageClock {
  readonly #times: StageTimes;
  readonly #onLate: (code: DiagnosticCode | undefined, stage: Stage) => void;
  readonly #began = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  stage: Stage = "resource";

  /** `onLate` gets no code for "initialized": a view need not report its size. */
  constructor(
    times: Partial<StageTimes>,
    onLate: (code: DiagnosticCode | undefined, stage: Stage) => void,
  ) {
    this.#times = { ...STAGE_TIMES, ...times };
    this.#onLate = onLate;
    this.reach("resource");
  }

  get elapsed(): number {
    return Math.round(performance.now() - this.#began);
  }

  reach(stage: Stage): void {
    this.stop();
    this.stage = stage;
    if (stage === "shown") return;
    this.#timer = setTimeout(
      () => this.#onLate(LATE[stage as keyof typeof LATE], stage),
      this.#times[stage],
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
