// The default rule on who has to be asked, and the answers that were to be remembered.

import type { Consent, ConsentRequest } from "./consent.ts";

/** What becomes of a request before anybody is asked. */
export type ConsentVerdict = "allow" | "deny" | "ask";

/** Remembered answers by a key of ours; a `Map` will do, or something that survives the page. */
export interface ConsentMemory {
  get(key: string): unknown;
  set(key: string, allow: boolean): unknown;
}

/** How consent is decided. */
export interface ConsentOptions {
  /** Comes before the default rule; nothing means the default rule. */
  rule?: (request: ConsentRequest) => ConsentVerdict | undefined;
  /** The operator's list of hosts whose links open without a question: `example.com`, `*.example.com`. */
  trustedHosts?: readonly string[];
  /** Where answers are remembered; for the life of the page by default. */
  memory?: ConsentMemory;
}

const made = new WeakSet<Consent>();

/**
 * Consent by the default rule: tools that do not say they only read, links to hosts that the operator
 * does not trust, messages, downloads and sampling are asked about. Without anybody to ask, the answer
 * to all of them is no. Give the same one to several bridges and they share what is remembered.
 */
export function createConsent(ask?: Consent, options: ConsentOptions = {}): Consent {
  const { rule, trustedHosts = [], memory = new Map<string, boolean>() } = options;
  const asking = new Map<string, Promise<boolean>>();

  const decide = async (request: ConsentRequest, key: string): Promise<boolean> => {
    // Two questions about the same: the first answer may be the second one's, too.
    await asking.get(key)?.catch(() => {});
    const remembered = memory.get(key);
    if (typeof remembered === "boolean") return remembered;
    if (!ask || request.signal.aborted) return false;
    const answer = await ask(request);
    if (typeof answer === "boolean") return answer;
    const allow = answer?.allow === true;
    if (answer?.remember === true) memory.set(key, allow);
    return allow;
  };

  const consent: Consent = async (request) => {
    const verdict = rule?.(request) ?? defaultVerdict(request, trustedHosts);
    if (verdict !== "ask") return verdict === "allow";
    const key = keyOf(request);
    const answer = decide(request, key);
    asking.set(key, answer);
    try {
      return await answer;
    } finally {
      if (asking.get(key) === answer) asking.delete(key);
    }
  };
  made.add(consent);
  return consent;
}

/** A consent of `createConsent` as it is; any other function is whom that one asks. */
export function toConsent(consent: Consent | undefined): Consent {
  return consent && made.has(consent) ? consent : createConsent(consent);
}

function defaultVerdict(request: ConsentRequest, trusted: readonly string[]): ConsentVerdict {
  switch (request.kind) {
    case "tool":
    case "app-tool":
      return request.tool.annotations?.readOnlyHint === true ? "allow" : "ask";
    case "link": {
      const { host } = request.link;
      const isTrusted = trusted.some((entry) =>
        entry.startsWith("*.") ? host.endsWith(entry.slice(1)) : host === entry,
      );
      return isTrusted ? "allow" : "ask";
    }
    case "display-mode":
      // The bridge has seen a click, and the Host's own controls stay on top.
      return "allow";
    default:
      return "ask";
  }
}

/** Server and tool, or Server and kind; a link's host and the list of domains are part of what was asked. */
function keyOf(request: ConsentRequest): string {
  const { kind, view } = request;
  const about: unknown =
    kind === "tool" || kind === "app-tool"
      ? request.tool.name
      : kind === "link"
        ? request.link.host
        : kind === "domains"
          ? [...request.domains].sort()
          : undefined;
  return JSON.stringify([view.server, kind, about]);
}
