import type { HostOptions } from "../host-options.ts";
import type { Answers, ConsentMemory } from "./answers.ts";
import type { Consent, ConsentScope } from "./consent.ts";
import type { DialogConsent } from "./consent-dialog.ts";
import {
  answersOf,
  type ConsentOptions,
  createConsent,
  forgetAnswers,
  toConsent,
} from "./consent-memory.ts";
import type { Permissions } from "./permission.ts";
import { isPageKey } from "./subject-key.ts";

// One per page, because questions wait for each other.
let dialog: DialogConsent | undefined;

/** Asks the user in the host's look and language; the dialog is loaded with the first question. */
function askByDialog(options: HostOptions, scopes: readonly ConsentScope[]): Consent {
  return async (request) => {
    const { createConsentDialog } = await import("./consent-dialog.ts");
    dialog ??= createConsentDialog();
    const { messages, describeServer, context } = options;
    const { variables } = context?.styles ?? {};
    return dialog(request, { messages, describeServer, variables, scopes });
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
  const given: ConsentOptions = typeof consent === "function" ? {} : consent;
  // Only of a user with a name: the next user of the same browser must not inherit them.
  const stored = given.memory ?? (user === undefined ? undefined : store?.answers);
  const memory = stored && withPageAnswers(stored);
  if (typeof consent === "function") return toConsent(consent, { memory });
  // "Always" is offered only where it is true.
  const scopes = stored ? (["conversation", "always"] as const) : (["conversation"] as const);
  return createConsent(askByDialog(options, scopes), { ...consent, memory });
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
