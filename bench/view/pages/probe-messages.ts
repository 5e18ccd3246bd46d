/** What the Host page asks of the probe in the View document. */
export type ProbeCommand =
  | { probe: "call"; times: number }
  /** Report the first partial that is at least so long. */
  | { probe: "expect"; length: number };

/** What the probe reports; times are in milliseconds. */
export type ProbeReport =
  /** Between the marks around an empty script, and around the View's. */
  | { probe: "shown"; empty: number; script: number }
  | { probe: "called"; took: number }
  | { probe: "expecting" }
  | { probe: "seen" };
