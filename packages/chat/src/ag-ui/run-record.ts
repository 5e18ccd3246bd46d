import type { AgUiMessage } from "./agent.ts";
import { callsOf, type RunState, readInput } from "./tool-calls.ts";

type Input = Record<string, unknown> | undefined;

/** What the page saw of the calls of the current run. */
export class RunRecord {
  readonly #calls = new Set<string>();
  readonly #writing = new Set<string>();
  readonly #failed = new Map<string, string>();
  readonly #inputs = new Map<string, { text: string; input: Input }>();

  start(): void {
    this.#calls.clear();
    this.#failed.clear();
  }

  startCall(callId: string): void {
    this.#calls.add(callId);
    this.#writing.add(callId);
  }

  endCall(callId: string): void {
    this.#writing.delete(callId);
  }

  end(): void {
    this.#writing.clear();
  }

  /** The calls of this run that have no answer failed with the run. */
  fail(message: string, messages: readonly AgUiMessage[]): void {
    for (const { call, answer } of callsOf(messages))
      if (!answer && this.#calls.has(call.id)) this.#failed.set(call.id, message);
  }

  has(callId: string): boolean {
    return this.#calls.has(callId);
  }

  state({ isRunning, results }: Pick<RunState, "isRunning" | "results">): RunState {
    return {
      isRunning,
      results,
      writing: this.#writing,
      failed: this.#failed,
      readInput: (callId, text) => this.#readInput(callId, text),
    };
  }

  #readInput(callId: string, text: string): Input {
    const known = this.#inputs.get(callId);
    if (known?.text === text) return known.input;
    const input = readInput(text);
    this.#inputs.set(callId, { text, input });
    return input;
  }
}
