import { refuse } from "../../errors/refusal.ts";
import { foldKey } from "../../json-rpc/folded-key.ts";
import type { PolicyCheck } from "../pipeline.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Rejects an argument that the tool doesn't declare and that differs from a declared one only by case. The
 * schema checks `amount`, while a server that ignores case would take `Amount`.
 */
export const argumentNamesCheck: PolicyCheck = {
  name: "argument-names",
  run: ({ frame, tool }) => {
    const found = findImitation(frame.params?.arguments, tool?.inputSchema);
    if (!found) return undefined;
    const [key, declared] = [found.key, found.declared].map((name) =>
      JSON.stringify(name.slice(0, 40).toWellFormed()),
    );
    return refuse(
      "ambiguous",
      `The argument ${key} differs from ${declared} only by case, so servers may confuse them. Rename it.`,
    );
  },
};

/**
 * Walks the arguments, which are bounded, along the schema. Never walks the schema alone, because a third
 * party wrote it.
 */
function findImitation(
  value: unknown,
  schema: unknown,
): { key: string; declared: string } | undefined {
  const { properties } = Object(schema) as { properties?: unknown };
  if (!isMembers(value) || !isMembers(properties)) return undefined;
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(properties, key)) {
      const found = findImitation(value[key], properties[key]);
      if (found) return found;
      continue;
    }
    const declared = foldedNames(properties).get(foldKey(key));
    if (declared !== undefined) return { key, declared };
  }
  return undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const folded = new WeakMap<Members, ReadonlyMap<string, string>>();

function foldedNames(properties: Members): ReadonlyMap<string, string> {
  let names = folded.get(properties);
  if (!names) {
    names = new Map(Object.keys(properties).map((name) => [foldKey(name), name]));
    folded.set(properties, names);
  }
  return names;
}
