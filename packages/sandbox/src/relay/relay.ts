// The program of the Sandbox's two pages, bundled into `../relay-script.ts`. It relays messages
// between two parties that don't trust each other: a Host, and a View that may be hostile. It runs
// in another process than the Host's page, so that a message that hangs or crashes its reader does
// so here.
//
// The Host cannot script this page and this page cannot script the View: three origins.

import { openEntrance } from "./entrance-page.ts";
import { showNotice } from "./notice.ts";
import { readPage } from "./page-settings.ts";
import { findFault, pinHost } from "./self-test.ts";
import { openSession } from "./session.ts";

const page = readPage();
const host = pinHost(page);
const fault = findFault(page) ?? (host ? undefined : "It can't determine which host embeds it.");
if (fault || !host) {
  // No message to the embedding page: it isn't a configured Host.
  showNotice({ title: "This app cannot run here", reason: fault ?? "" });
} else if ("view" in page) openSession(page, host);
else openEntrance(page, host);
