// The default rule for which requests need a question, the order of questions, and the answers to
// remember.

import { type Answers, type ConsentMemory, createAnswers } from "./answers.ts";
import type { Consent, ConsentAnswer, ConsentRequest, ViewOwner } from "./consent.ts";
import { createQuestionLimit } from "./question-limit.ts";
import { createQuestionQueue } from "./question-queue.ts";
import { isKeyOf, memoryKeysOf } from "./subject-key.ts";
import { readTrustedHosts, type TrustedLinks } from "./trusted-hosts.ts";

/** The decision about a request before the user is asked. */
export type ConsentVerdict = "allow" | "deny" | "ask";

/** How consent is decided. */
export interface ConsentOptions {
  /**
   * Runs before the default rule; return nothing to use the default rule. Put programmatic decisions
   * here.
   */
  rule?: (request: ConsentRequest) => ConsentVerdict | undefined;
  /**
   * Whether the user is asked about tools that declare that they only read; `"allow"` by default. A
   * server makes that declaration itself, so ask if you don't trust your servers.
   */
  readOnlyTools?: "allow" | "ask" | undefined;
  /**
   * The operator's list of sites whose links open without a question: `example.com`, `*.example.com`,
   * `http://localhost:3000`. Scheme and port must match; they are https and 443 unless you write others.
   */
  trustedHosts?: readonly string[];
  /** Where answers are remembered; by default until the page is closed. */
  memory?: ConsentMemory | undefined;
}

/** Consent by the host's own questions. */
export interface HostConsentOptions extends ConsentOptions {
  /**
   * Asks about messages and links in the area of the view, while the rest of the page stays usable; on
   * by default. Everything else is asked in a modal dialog.
   */
  inline?: boolean | undefined;
}

const made = new WeakMap<Consent, Answers>();

/**
 * Consent by the default rule. It asks about tools that don't declare that they only read (about all
 * with `readOnlyTools: "ask"`), links to hosts that the operator doesn't trust, messages, downloads and sampling. If there is no way to ask,
 * it rejects them all. Pass the same one to several bridges to share remembered answers.
 *
 * Each view asks one question at a time. After two refusals without a gesture in the view, or two
 * withdrawn questions, its further questions are rejected without asking.
 */
export function createConsent(ask?: Consent, options: ConsentOptions = {}): Consent {
  const { rule, trustedHosts = [], memory = new Map<string, boolean>(), readOnlyTools } = options;
  const isTrusted = readTrustedHosts(trustedHosts);
  const limit = createQuestionLimit();
  const queue = createQuestionQueue();
  const answers = createAnswers(memory);

  const askUser = async (ask: Consent, request: ConsentRequest): Promise<ConsentAnswer> => {
    const reason = limit.refuse(request);
    if (reason !== undefined) return { allow: false, reason };
    const answer = await ask(request);
    const given = typeof answer === "object" ? answer : { allow: answer };
    const allow = given?.allow === true;
    const asked = allow ? "allowed" : "refused";
    limit.record(request, request.signal.aborted ? "withdrawn" : asked);
    return { ...given, allow };
  };
  const decide = async (request: ConsentRequest): Promise<boolean | ConsentAnswer> => {
    const keys = await memoryKeysOf(request);
    for (const key of [keys.conversation, keys.always]) {
      const remembered = await answers.recall(key);
      if (remembered !== undefined) return remembered;
    }
    if (!ask || request.signal.aborted) return false;
    const { allow, remember, reason } = await askUser(ask, request);
    const key = remember === "always" ? keys.always : keys.conversation;
    if (remember) await answers.retain(key, allow);
    return allow || reason === undefined ? allow : { allow, reason };
  };

  const consent: Consent = async (request) => {
    const verdict = rule?.(request) ?? defaultVerdict(request, isTrusted, readOnlyTools);
    if (verdict !== "ask") return verdict === "allow";
    limit.arrive(request);
    const reason = "Too many questions of this view are open. Wait for an answer.";
    return (await queue.enter(request, () => decide(request))) ?? { allow: false, reason };
  };
  made.set(consent, answers);
  return consent;
}

/** The answers that a consent of `createConsent` remembers. */
export function answersOf(consent: Consent): Answers | undefined {
  return made.get(consent);
}

/** Deletes the answers that a consent of `createConsent` remembers for one conversation. */
export async function forgetAnswers(
  consent: Consent,
  conversation: string,
  owner: ViewOwner,
): Promise<void> {
  await made.get(consent)?.remove((key) => isKeyOf(key, conversation, owner));
}

/**
 * Returns a consent of `createConsent` unchanged; any other function becomes the one that it asks.
 */
export function toConsent(consent: Consent | undefined, options?: ConsentOptions): Consent {
  return consent && made.has(consent) ? consent : createConsent(consent, options);
}

function defaultVerdict(
  request: ConsentRequest,
  isTrusted: TrustedLinks,
  readOnlyTools: "allow" | "ask" = "allow",
): ConsentVerdict {
  switch (request.kind) {
    case "tool":
    case "app-tool":
      return request.tool.annotations?.readOnlyHint === true ? readOnlyTools : "ask";
    case "link":
      return isTrusted(request.link.href) ? "allow" : "ask";
    case "display-mode":
      // The bridge has seen a click, and the host's own controls stay on top.
      return "allow";
    default:
      return "ask";
  }
}
