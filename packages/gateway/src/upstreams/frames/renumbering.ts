import { metaOf } from "./envelope.ts";
import { editObject, type MemberEdit, withId } from "./json-text.ts";

/**
 * A request under a number of ours, for a connection that several callers share: their ids and
 * progress tokens would collide. `without` names members of `_meta` to leave out.
 */
export function renumbered(
  text: string,
  number: number,
  params: unknown,
  { without = [] }: { without?: readonly string[] } = {},
): string {
  const id = String(number);
  const meta = metaOf(params) ?? {};
  const edits: Record<string, MemberEdit> = {};
  if (Object.hasOwn(meta, "progressToken")) edits.progressToken = id;
  for (const key of without) if (Object.hasOwn(meta, key)) edits[key] = undefined;
  if (Object.keys(edits).length === 0) return withId(text, id);
  return editObject(text, {
    id,
    params: (raw = "{}") => editObject(raw, { _meta: (raw = "{}") => editObject(raw, edits) }),
  });
}

/** A progress notification under the token of whoever asked for it. */
export function withToken(text: string, token: unknown): string {
  return editObject(text, {
    params: (raw = "{}") => editObject(raw, { progressToken: JSON.stringify(token) }),
  });
}
