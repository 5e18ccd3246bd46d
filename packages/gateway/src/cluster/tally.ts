// What went between the processes, in plain numbers: a call must not pay for being counted.

/** How calls to another process ended. */
export interface CallTally {
  answered: number;
  /** The server, or the process that has it, said why not. */
  failed: number;
  /** It was not the owner, or nobody was there: nothing was done, and the owner is looked for again. */
  elsewhere: number;
  /** No answer: what became of it is unknown. */
  lost: number;
  /** The caller did not wait for it. */
  cancelled: number;
}

/** Counts for as long as the process lives. */
export class Tally {
  /** Calls of this process to the owners of something, and of others to this one. */
  readonly sent: CallTally = noCalls();
  readonly received: CallTally = noCalls();
  /** Times that somebody had missed news, and was told that anything may have changed. */
  healedNews = 0;
}

function noCalls(): CallTally {
  return { answered: 0, failed: 0, elsewhere: 0, lost: 0, cancelled: 0 };
}
