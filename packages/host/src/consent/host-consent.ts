import type { HostOptions } from "../host-options.ts";
import type { Consent } from "./consent.ts";
import type { DialogConsent } from "./consent-dialog.ts";
import { forgetAnswers, toConsent } from "./consent-memory.ts";

// One per page, because questions wait for each other.
let dialog: DialogConsent | undefined;

/** Asks the user in the host's look and language; the dialog is loaded with the first question. */
function askByDialog(options: HostOptions): Consent {
  return async (request) => {
    const { createConsentDialog } = await import("./consent-dialog.ts");
    dialog ??= createConsentDialog();
    const { messages, describeServer, context } = options;
    const { variables } = context?.styles ?? {};
    return dialog(request, { messages, describeServer, variables });
  };
}

const consents = new WeakMap<HostOptions, Consent>();

/** One for all views of a host, so that remembered answers hold for other views too. */
export function consentOf(options: HostOptions): Consent {
  const consent = consents.get(options) ?? toConsent(options.consent ?? askByDialog(options));
  consents.set(options, consent);
  return consent;
}

/** Deletes the answers that hold in one conversation of the host's user. */
export async function forgetAnswersOf(options: HostOptions, conversation: string): Promise<void> {
  const { tenant, user } = options;
  await forgetAnswers(consentOf(options), conversation, { tenant, user });
}
