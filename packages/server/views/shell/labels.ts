// Words of the shell, in English; `config.labels` replaces any of them by its name.

export const SHELL_LABELS = {
  loading: "Loading…",
  writing: "Being written…",
  empty: "There is nothing to show.",
  failed: "Something went wrong",
  notDrawn: "This result could not be shown",
  cancelled: "Cancelled",
  stopped: "It was stopped before it finished.",
  tryAgain: "Try again",
  askAgain: "Please try “{tool}” again.",
  details: "Details",
  notConnected: "This view has no connection to its host",
  none: "none",
  yes: "Yes",
  no: "No",
  more: "Show more",
  less: "Show less",
  charactersLeft: "… {count} more characters",
} as const;

export type LabelName = keyof typeof SHELL_LABELS;

// Characters that may reorder the text next to them.
const TURNING = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/**
 * Words by name: a template's over the shell's, the config's over both. Where the page runs the other
 * way than its words may do, they are isolated, as are values in them that could turn them round.
 */
export function createLabels(
  layers: readonly (Record<string, unknown> | undefined)[],
  direction: "ltr" | "rtl",
): (name: string, values?: Record<string, string | number>) => string {
  const words = new Map<string, string>();
  for (const layer of [SHELL_LABELS, ...layers]) {
    for (const [name, word] of Object.entries(layer ?? {})) {
      if (typeof word === "string") words.set(name, word);
    }
  }
  return (name, values) => {
    const text = (words.get(name) ?? name).replace(/\{(\w+)\}/g, (gap, key: string) => {
      if (!values || !Object.hasOwn(values, key)) return gap;
      const value = String(values[key]);
      return TURNING.test(value) ? isolated(value) : value;
    });
    return direction === "rtl" ? isolated(text) : text;
  };
}

/** Between "first strong isolate" and its end: the text decides on its own direction. */
function isolated(text: string): string {
  return `\u2068${text}\u2069`;
}
