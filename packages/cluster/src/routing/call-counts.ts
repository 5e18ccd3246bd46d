/** How calls to another process ended. */
export interface CallCounts {
  answered: number;
  /** The server or its owner returned an error. */
  failed: number;
  /** The process wasn't the owner, or is gone: nothing was done, and the owner is looked up again. */
  elsewhere: number;
  /** No response: the outcome is unknown. */
  lost: number;
  cancelled: number;
}

/** Counts since the process started. */
export class Counts {
  /** Calls of this process to owners, and of other processes to this one. */
  readonly sent: CallCounts = noCalls();
  readonly received: CallCounts = noCalls();
  /** Times that change notifications were missed. */
  changesAfterGap = 0;
  /** Messages that failed authentication. */
  rejected = 0;
}

function noCalls(): CallCounts {
  return { answered: 0, failed: 0, elsewhere: 0, lost: 0, cancelled: 0 };
}
