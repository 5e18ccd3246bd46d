// Calls tools as a chat would: the view loads while the tool runs, the input comes first, whole or in
// pieces, and the result when it is ready.

import { readPartialJson, type Upstream } from "@vitrine/host";
import type { CallToolResult, Tool } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { Scenario } from "@vitrine/testing";
import type { RecordedInput } from "../../src/dev/recording.ts";
import type { Store } from "../store.ts";
import type { DevState, Run } from "./dev-state.ts";
import { faultyResult, LATE, wait } from "./faults.ts";
import { addRun, changeRun } from "./past-runs.ts";
import type { TrafficTap } from "./traffic-tap.ts";
import type { ViewStage } from "./view-stage.ts";

/** Runs tools. */
export interface ToolRuns {
  run(tool: Tool, given: Record<string, unknown>): Promise<void>;
  /** Delivers a scenario to the tool's view instead of calling the tool. */
  play(tool: Tool, scenario: Scenario, options?: PlayOptions): Promise<void>;
  /** Shows a past run with its input and its result, without another call. */
  showAgain(run: Run): void;
  cancel(): void;
}

/** How a scenario is delivered. */
export interface PlayOptions {
  /** Milliseconds from the input to the result. */
  delay?: number;
}

/** What a run needs. */
export interface ToolRunsOptions {
  state: Store<DevState>;
  stage: ViewStage;
  tap: TrafficTap;
  server(): Upstream;
  note(input: RecordedInput): void;
}

interface RunControl {
  readonly signal: AbortSignal;
  /** Whether no other run has begun. */
  isCurrent(): boolean;
}

const PIECES = 12;
const PIECE = 60;

/** Creates the runner. */
export function createToolRuns({ state, stage, tap, server, note }: ToolRunsOptions): ToolRuns {
  let cancelling: AbortController | undefined;
  let count = 0;

  const write = async (given: Record<string, unknown>, signal: AbortSignal): Promise<void> => {
    const text = JSON.stringify(given);
    for (let piece = 1; piece < PIECES && !signal.aborted; piece++) {
      const partialInput = readPartialJson(
        text.slice(0, Math.ceil((text.length * piece) / PIECES)),
      );
      if (partialInput) stage.view?.update({ partialInput });
      await wait(PIECE);
    }
  };

  const deliver = async (result: CallToolResult, isCurrent: () => boolean): Promise<void> => {
    const fault = state.get().settings.faults.result;
    if (fault === "late") await wait(LATE);
    if (!isCurrent() || fault === "never") return;
    if (fault === "cancelled") {
      stage.view?.update({ cancelled: "simulated fault" });
      return;
    }
    stage.view?.update({ result });
    // The host itself never sends one twice.
    if (fault === "twice") {
      // Not before the view has received the first.
      while (isCurrent() && stage.view?.bridge?.initialized !== true) await wait(50);
      await wait(100);
      tap.inject({
        method: "ui/notifications/tool-result",
        params: result as Record<string, unknown>,
      });
    }
  };

  const call = async (
    tool: Tool,
    given: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult> => {
    const sent = await server().request(
      "tools/call",
      { name: tool.name, arguments: given },
      {
        signal,
        onprogress: (progress) => {
          if (!signal.aborted) tell({ progress });
        },
      },
    );
    return faultyResult(sent, state.get().settings.faults);
  };

  /** Changes the current run, also where it is in the history. */
  const tell = (change: Partial<Run>): void => {
    const { run: last, history } = state.get();
    if (!last) return;
    const run = { ...last, ...change };
    state.set({ run, history: changeRun(history, run) });
  };
  const open = (run: Run, history: readonly Run[]): void => {
    state.set({
      run,
      history,
      stage: undefined,
      diagnostics: [],
      blocked: [],
      reasons: [],
      problems: [],
      log: [],
    });
    stage.clear();
    const { tool } = run;
    if (toolResourceUri(tool).code !== "none") stage.show({ tool, upstream: server() });
  };
  const begin = (tool: Tool, given: Record<string, unknown>, scenario?: Scenario): void => {
    const { faults: _, ...settings } = state.get().settings;
    const { streaming } = settings;
    const at = Date.now();
    // A replay of the recording would call the tool, so a mock isn't part of it.
    if (!scenario)
      note({ at, kind: "run", tool: tool.name, arguments: given, streaming, settings });
    const isWritten = scenario ? scenario.partialInputs !== undefined : streaming;
    const run: Run = {
      id: ++count,
      at,
      tool,
      arguments: given,
      state: isWritten ? "writing" : "running",
      ...(scenario && { scenario }),
    };
    open(run, addRun(state.get().history, run));
  };

  /** Delivers how a scenario ends; one without an end keeps the view waiting. */
  const end = ({ result, cancelled }: Pick<Scenario, "result" | "cancelled">): void => {
    if (cancelled !== undefined) {
      tell({ state: "cancelled" });
      stage.view?.update({ cancelled });
    } else if (result) {
      tell({ state: "done", result });
      stage.view?.update({ result });
    }
  };
  /** Ends the run before, and begins another one. */
  const control = (): RunControl => {
    cancelling?.abort();
    const controller = new AbortController();
    cancelling = controller;
    return { signal: controller.signal, isCurrent: () => cancelling === controller };
  };

  /** Calls the tool; returns the text for the page and the result for the view. */
  const answer = async (
    tool: Tool,
    given: Record<string, unknown>,
    { isCurrent, signal }: RunControl,
  ): Promise<void> => {
    tell({ state: "running" });
    stage.view?.update({ input: given });
    const began = performance.now();
    try {
      const result = await call(tool, given, signal);
      if (!isCurrent()) return;
      tell({ state: "done", result, elapsed: performance.now() - began });
      await deliver(result, isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      const words = signal.aborted ? "by the user" : wordsOf(error);
      tell(signal.aborted ? { state: "cancelled" } : { state: "failed", error: words });
      stage.view?.update({ cancelled: words });
    }
  };

  return {
    run: async (tool, given) => {
      const current = control();
      begin(tool, given);
      if (state.get().settings.streaming) await write(given, current.signal);
      if (current.isCurrent()) await answer(tool, given, current);
    },
    play: async (tool, scenario, { delay = 0 } = {}) => {
      const { isCurrent, signal } = control();
      const isOver = (): boolean => !isCurrent() || signal.aborted;
      const { input, partialInputs = [] } = scenario;
      begin(tool, input ?? {}, scenario);
      signal.addEventListener("abort", () => {
        if (isCurrent() && !state.get().run?.result) end({ cancelled: "by the user" });
      });
      for (const partialInput of partialInputs) {
        if (isOver()) return;
        stage.view?.update({ partialInput });
        await wait(PIECE);
      }
      if (isOver()) return;
      tell({ state: "running" });
      if (input) stage.view?.update({ input });
      if (delay > 0) await wait(delay);
      if (!isOver()) end(scenario);
    },
    showAgain: (run) => {
      cancelling?.abort();
      cancelling = undefined;
      open(run, state.get().history);
      const { arguments: input, result, error } = run;
      stage.view?.update({ input });
      if (result) stage.view?.update({ result });
      else stage.view?.update({ cancelled: error ?? "by the user" });
    },
    cancel: () => cancelling?.abort(),
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
