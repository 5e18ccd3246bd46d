import { serverError } from "./errors.ts";

/** How long clients may keep a View (2026-07-28). */
export interface CacheHint {
  /** Of the unversioned address; one that is made of the content never changes. Default 0. */
  ttlMs?: number | undefined;
  /** Whether gateways may share it between users; default "public": it is the same for all. */
  cacheScope?: "public" | "private" | undefined;
}

/** The hint with its defaults; throws if it is none. */
export function checkCache({ ttlMs = 0, cacheScope = "public" }: CacheHint): {
  ttlMs: number;
  cacheScope: string;
} {
  const isHint =
    Number.isSafeInteger(ttlMs) && ttlMs >= 0 && ["public", "private"].includes(cacheScope);
  if (!isHint) throw serverError("bad-cache", JSON.stringify({ ttlMs, cacheScope }));
  return { ttlMs, cacheScope };
}
