/** Status → name, in which `*` stands for anything → the reason. */
export type Listed = Partial<Record<"wider" | "differs" | "absent", Record<string, string>>>;

/** One line of the table; names that share a pattern share one, which counts them. */
export interface Row {
  name: string;
  status: "same" | "wider" | "differs" | "absent";
  reason: string;
  count: number;
}

export function compare(
  heading: string,
  names: [theirs: ReadonlyMap<string, unknown>, ours: ReadonlyMap<string, unknown>],
  listed?: Listed,
): { rows: Row[]; complaints: string[] };
