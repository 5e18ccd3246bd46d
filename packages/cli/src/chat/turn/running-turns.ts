/** A turn of the model that is running. */
export interface RunningTurn {
  /** Aborts when the turn is stopped from elsewhere. */
  readonly signal: AbortSignal;
  end(): void;
}

/** The conversations whose model is answering. */
export interface RunningTurns {
  /** The conversation that began last. */
  readonly newest: string | undefined;
  begin(conversation: string): RunningTurn;
  /** Stops the turns of a conversation. */
  stop(conversation: string): void;
}

/** Creates an empty list. */
export function createRunningTurns(): RunningTurns {
  const running = new Map<AbortController, string>();
  return {
    get newest() {
      return [...running.values()].at(-1);
    },
    begin: (conversation) => {
      const turn = new AbortController();
      running.set(turn, conversation);
      return { signal: turn.signal, end: () => running.delete(turn) };
    },
    stop: (conversation) => {
      for (const [turn, of] of running) if (of === conversation) turn.abort();
    },
  };
}
