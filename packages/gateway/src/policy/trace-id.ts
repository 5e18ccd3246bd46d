/** The trace id in the `_meta` of a message, if it has one. */
export function traceIdOf(meta: unknown): string | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const { traceparent } = meta as { traceparent?: unknown };
  if (traceparent === undefined) return undefined;
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(`${traceparent}`)?.[1];
}
