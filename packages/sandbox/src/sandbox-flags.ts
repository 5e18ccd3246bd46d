import { sandboxError } from "./errors.ts";

// Never top navigation, popups, dialogs, downloads or storage access: each was an escape from some
// host's sandbox.
const HARMLESS = ["allow-scripts", "allow-same-origin", "allow-forms"];
const OWN_ORIGIN = "allow-same-origin";

/** The flags of every View in a set-up, as an operator may choose them. */
export function baseFlags(chosen: string | undefined, opaque: boolean): string {
  const flags = split(
    chosen ?? HARMLESS.filter((flag) => !opaque || flag !== OWN_ORIGIN).join(" "),
  );
  for (const flag of flags) {
    if (!HARMLESS.includes(flag)) throw sandboxError("bad-flag", flag);
  }
  // It would give a third-party document the host's own origin, with the host's cookies and storage.
  if (opaque && flags.includes(OWN_ORIGIN)) throw sandboxError("mixed-tier", OWN_ORIGIN);
  return HARMLESS.filter((flag) => flags.includes(flag)).join(" ");
}

/** The requested flags that a View gets: never more than the setup has (SBX-14). */
export function intersectFlags(base: string, wish: unknown): string {
  if (typeof wish !== "string") return base;
  // Browsers compare flags case-insensitively, so this filter must too (E108).
  const wished = split(wish.slice(0, 1000));
  return base
    .split(" ")
    .filter((flag) => wished.includes(flag))
    .join(" ");
}

function split(flags: string): string[] {
  return flags
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .filter((flag) => flag !== "");
}
