/** A difference between the log and what was written, or a missing part. */
export interface Finding {
  readonly kind:
    | "changed" // the bytes of a step or record differ
    | "missing" // steps or records are missing
    | "moved" // a step is at the wrong position
    | "doubled" // a step occurs twice
    | "dropped" // the log reports that it dropped records because it couldn't store them
    | "malformed"; // not a step
  /** Position in the log. */
  readonly place?: number;
  readonly node?: string;
  readonly epoch?: number;
  readonly steps?: Range;
  /** Sequence numbers of the affected records. */
  readonly records?: Range;
  readonly text: string;
}

/** A range, both ends included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A missing part that the log itself reports. */
export interface Gap {
  readonly kind:
    | "killed" // the process ended without a last step; records that weren't stored are lost
    | "trimmed"; // the oldest steps were deleted
  readonly node: string;
  readonly epoch: number;
  /** The record before the gap, or the missing records. */
  readonly records: Range;
  readonly text: string;
}
