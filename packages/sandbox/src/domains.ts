import type { Approval, DomainList, OperatorPolicy } from "./operator-policy.ts";
import { ownItems, ownValue } from "./own-properties.ts";
import { isWithin } from "./public-name.ts";
import { type Rejected, type RejectionCode, rejected } from "./rejection.ts";
import { parseSource, type Source } from "./source.ts";

/** The lists of the specification; no other key of `csp` is read. */
export const DOMAIN_LISTS: readonly DomainList[] = [
  "connectDomains",
  "resourceDomains",
  "frameDomains",
  "baseUriDomains",
];
// How often an entry of a list is written into the header.
const REPEATS: Record<DomainList, number> = {
  connectDomains: 1,
  resourceDomains: 5,
  frameDomains: 1,
  baseUriDomains: 1,
};
const longestList = 32;

/** The result of reading one list. */
export interface DomainReading {
  /** As they stand in a policy, sorted. */
  sources: string[];
  faults: Rejected[];
  wishes: Approval[];
}

/** Reads one list of `_meta.ui.csp`; takes what it grants from the budget of bytes. */
export function readDomains(
  csp: unknown,
  list: DomainList,
  { operator, budget }: { operator: OperatorPolicy; budget: { left: number } },
): DomainReading {
  const reading: DomainReading = { sources: [], faults: [], wishes: [] };
  const declared = ownValue(csp, list);
  if (declared === undefined) return reading;
  const found = ownItems(declared, longestList);
  if (!found) return { ...reading, faults: [rejected(list, declared, "not-a-list")] };
  const taken = new Set<string>();
  for (const value of found.items) {
    const parsed = parseSource(value, operator);
    const code = parsed.ok
      ? (judge(parsed.source, list, operator) ?? take(parsed.source, list, { taken, budget }))
      : parsed.code;
    if (code) reading.faults.push(rejected(list, value, code));
    if (parsed.ok && code === "needs-consent") {
      reading.wishes.push({ list, source: parsed.source.text });
    }
  }
  const excess = found.length - longestList;
  if (excess > 0) reading.faults.push(rejected(list, `+${excess}`, "too-many"));
  // Sorted: the same declarations in another order are the same policy, and so the same origin.
  reading.sources = [...taken].sort();
  return reading;
}

function take(
  { text }: Source,
  list: DomainList,
  { taken, budget }: { taken: Set<string>; budget: { left: number } },
): RejectionCode | undefined {
  if (taken.has(text)) return undefined;
  const cost = (text.length + 3) * REPEATS[list];
  // Proxies may cut or reject longer headers, and the policy would be lost.
  if (cost > budget.left) return "header-full";
  budget.left -= cost;
  taken.add(text);
  return undefined;
}

/** Why the operator's policy rejects a well-formed source. */
function judge(
  source: Source,
  list: DomainList,
  operator: OperatorPolicy,
): RejectionCode | undefined {
  const { allowDomains, blockDomains, approved } = operator;
  const isSocket = source.scheme === "wss" || source.scheme === "ws";
  if (isSocket && list !== "connectDomains") return "websocket";
  // A wildcard above a blocked name would reach it.
  const reaches = (name: string): boolean =>
    isWithin(source.host, name) || (source.wildcard && isWithin(name, source.host));
  if (blockDomains?.some(reaches)) return "blocked";
  if (allowDomains && !allowDomains.some((name) => isWithin(source.host, name))) {
    return "not-allowed";
  }
  // A nested page can send data anywhere, and so can a host that a wildcard matches.
  if (list !== "frameDomains" && !source.wildcard) return undefined;
  const isApproved = approved?.some((yes) => yes.list === list && yes.source === source.text);
  return isApproved ? undefined : "needs-consent";
}
