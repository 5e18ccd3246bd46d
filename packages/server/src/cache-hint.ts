import { serverError } from "./errors.ts";

/** How long clients may keep a view (2026-07-28). */
export interface CacheHint {
  /** For the unversioned address; a versioned one never changes. Default 0. */
  ttlMs?: number | undefined;
  /** Whether gateways may share it between users; default "public": it is the same for all. */
  cacheScope?: "public" | "private" | undefined;
}

/** The hint with its defaults; throws if it is invalid. */
export function checkCache({ ttlMs = 0, cacheScope = "public" }: CacheHint): {
  ttlMs: number;
  cacheScope: string;
} {
  const isHint =
    Number.isSafeInteger(ttlMs) && ttlMs >= 0 && ["public", "private"].includes(cacheScope);
  if (!isHint) throw serverError("bad-cache", JSON.stringify({ ttlMs, cacheScope }));
  return { ttlMs, cacheScope };
}
