import type { HostOptions } from "../host-options.ts";
import type { Answers, ConsentMemory } from "./answers.ts";
import type { Consent, ConsentRequest, ConsentScope } from "./consent.ts";
import type { DialogConsent } from "./consent-dialog.ts";
import {
  answersOf,
  createConsent,
  forgetAnswers,
  type HostConsentOptions,
  toConsent,
} from "./consent-memory.ts";
import type { Permissions } from "./permission.ts";
import { findPlace } from "./question-place.ts";
import { isPageKey } from "./subject-key.ts";

// One per page, because questions wait for each other.
let dialog: DialogConsent | undefined;

const INLINE: ReadonlySet<ConsentRequest["kind"]> = new Set(["message", "link"]);

/** Asks the user in the host's look and language; the dialog is loaded with the first question. */
function askByDialog(
  options: HostOptions,
  scopes: readonly ConsentScope[],
  isInline: boolean,
): Consent {
  return async (request) => {
    const { messages, describeServer, context } = options;
    const look = { messages, describeServer, variables: context?.styles?.variables, scopes };
    const isSmall = isInline && INLINE.has(request.kind);
    const place = isSmall ? findPlace(options, request) : undefined;
    if (place) {
      const { inlineDialog } = await import("./consent-dialog-inline.ts");
      return inlineDialog(place)(request, look);
    }
    const { createConsentDialog } = await import("./consent-dialog.ts");
    dialog ??= createConsentDialog();
    return dialog(request, look);
  };
}

const consents = new WeakMap<HostOptions, Consent>();

/** One for all views of a host, so that remembered answers hold for other views too. */
export function consentOf(options: HostOptions): Consent {
  const consent = consents.get(options) ?? makeConsent(options);
  consents.set(options, consent);
  return consent;
}

function makeConsent(options: HostOptions): Consent {
  const { consent = {}, store, user } = options;
  const given: HostConsentOptions = typeof consent === "function" ? {} : consent;
  // Only of a user with a name: the next user of the same browser must not inherit them.
  const stored = given.memory ?? (user === undefined ? undefined : store?.answers);
  const memory = stored && withPageAnswers(stored);
  if (typeof consent === "function") return toConsent(consent, { memory });
  // "Always" is offered only where it is true.
  const scopes = stored ? (["conversation", "always"] as const) : (["conversation"] as const);
  const ask = askByDialog(options, scopes, given.inline !== false);
  return createConsent(ask, { ...given, memory });
}

/** Keeps the answers of the default conversation until the page is closed: it is never deleted. */
function withPageAnswers(stored: ConsentMemory): ConsentMemory {
  const page = new Map<string, boolean>();
  const placeOf = (key: string): ConsentMemory => (isPageKey(key) ? page : stored);
  return {
    get: (key) => placeOf(key).get(key),
    set: (key, allow) => placeOf(key).set(key, allow),
    delete: (key) => placeOf(key).delete(key),
    keys: async () => [...page.keys(), ...(await stored.keys())],
  };
}

/** The remembered answers of the host's user. */
export async function permissionsOf(options: HostOptions): Promise<Permissions> {
  const { listPermissions } = await import("./permission-list.ts");
  const { tenant, user } = options;
  // `consentOf` returns one of `createConsent`, which has answers.
  const answers = answersOf(consentOf(options)) as Answers;
  return listPermissions(answers, { tenant, user });
}

/** Deletes the answers that hold in one conversation of the host's user. */
export async function forgetAnswersOf(options: HostOptions, conversation: string): Promise<void> {
  const { tenant, user } = options;
  await forgetAnswers(consentOf(options), conversation, { tenant, user });
}
