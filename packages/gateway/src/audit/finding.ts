/** Something that is not as it was written, or was never written. */
export interface Finding {
  readonly kind:
    | "changed" // bytes of a step or record are others
    | "missing" // steps or records are not there
    | "moved" // a step is not in its place
    | "doubled" // a step is there twice
    | "dropped" // the log itself says that it dropped records because it could not store them
    | "malformed"; // no step at all
  /** Where it lies in the log. */
  readonly place?: number;
  readonly node?: string;
  readonly epoch?: number;
  readonly steps?: Range;
  /** Sequences of the records it is about. */
  readonly records?: Range;
  readonly text: string;
}

/** From one to another, both included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Something that is missing and said so. */
export interface Gap {
  readonly kind:
    | "killed" // the process ended without a last step; what it had not stored is lost
    | "trimmed"; // the oldest steps were let go of
  readonly node: string;
  readonly epoch: number;
  /** The record after which it is, or those that are missing. */
  readonly records: Range;
  readonly text: string;
}
