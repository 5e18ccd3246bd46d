/** Holds two lists of names against each other and against the reasons why they differ. */

const STATUSES = ["wider", "differs", "absent"];

/** One row per official name, with its status and reason; and what is wrong with the list. */
export function compare(heading, [theirs, ours], listed = {}) {
  const complaints = [];
  const rows = [];
  const unused = new Set(
    STATUSES.flatMap((status) => Object.keys(listed[status] ?? {}).map((key) => status + key)),
  );
  for (const [name, isType] of theirs) {
    const [status, pattern] = findListed(listed, name);
    unused.delete(status + pattern);
    rows.push({ name: pattern ?? name, status, reason: listed[status]?.[pattern] ?? "" });
    const complaint = findFault(status, isType, ours.get(name));
    if (complaint) complaints.push(`${heading}: ${name} ${complaint}`);
  }
  for (const entry of unused) {
    complaints.push(`${heading}: "${entry}" is listed, and the official SDK has no such name.`);
  }
  return { rows: mergePatterns(rows), complaints };
}

/** The problem of one name, given its kind there and its kind here, if it is here. */
function findFault(status, theirs, ours) {
  const present = ours !== undefined;
  if (present && status === "absent") return "is listed as absent, and it is there.";
  if (!present && status !== "absent") return "is missing, and no reason is given.";
  // Of exports the kind is whether it is a type only, which cannot stand in for a value.
  if (theirs === false && ours === true) return "is a value there and only a type here.";
  return undefined;
}

function findListed(listed, name) {
  for (const status of STATUSES) {
    for (const pattern of Object.keys(listed[status] ?? {})) {
      const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
      if (expression.test(name)) return [status, pattern];
    }
  }
  return ["same", undefined];
}

/** Names that share a pattern share a row, which counts them. */
function mergePatterns(rows) {
  const merged = new Map();
  for (const row of rows) {
    const count = (merged.get(row.name)?.count ?? 0) + 1;
    merged.set(row.name, { ...row, count });
  }
  return [...merged.values()];
}
