// Permissions that an operator may add to the strict policy, for one session: third-party servers can
// be tried as they would run with an operator's approval.

import type { Approval, OperatorPolicy } from "@vitrine/sandbox";
import { Failure } from "../failure.ts";

const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"] as const;
const LISTS: readonly Approval["list"][] = ["connectDomains", "resourceDomains", "frameDomains"];
const DOMAIN = /^(?:https|wss):\/\/\S+$/;

/** Parses the values of `--grant`. */
export function readGrants(words: readonly string[]): OperatorPolicy {
  const permissions = PERMISSIONS.filter((name) => words.includes(name));
  const domains = words.filter((word) => DOMAIN.test(word));
  for (const word of words) {
    const isKnown =
      word === "unsafe-eval" || PERMISSIONS.some((name) => name === word) || DOMAIN.test(word);
    if (!isKnown)
      throw new Failure(
        "usage",
        `--grant "${word}" is unknown. Choose from: unsafe-eval, ${PERMISSIONS.join(", ")}, or a domain as the view declares it, such as "https://*.example.com".`,
      );
  }
  return {
    ...(words.includes("unsafe-eval") && { unsafeEval: true }),
    ...(permissions.length > 0 && { permissions }),
    ...(domains.length > 0 && {
      approved: domains.flatMap((source) => LISTS.map((list) => ({ list, source }))),
    }),
  };
}
