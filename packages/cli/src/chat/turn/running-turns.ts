/** The conversations whose model is answering. */
export interface RunningTurns {
  /** The conversation that began last. */
  readonly newest: string | undefined;
  /** Returns a function that ends the turn. */
  begin(conversation: string): () => void;
}

/** Creates an empty list. */
export function createRunningTurns(): RunningTurns {
  const running: { conversation: string }[] = [];
  return {
    get newest() {
      return running.at(-1)?.conversation;
    },
    begin: (conversation) => {
      const turn = { conversation };
      running.push(turn);
      return () => {
        const at = running.indexOf(turn);
        if (at >= 0) running.splice(at, 1);
      };
    },
  };
}
