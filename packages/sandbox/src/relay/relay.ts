// The program of the Sandbox's two pages, bundled into `../relay-script.ts`. It stands between two
// parties that do not trust each other: a Host, and a View that may be hostile. It runs in another
// process than the Host's page, so that what would hang or crash its reader does so here.
//
// The Host cannot script this page and this page cannot script the View: three origins.

import { openEntrance } from "./entrance.ts";
import { showNotice } from "./notice.ts";
import { readPage } from "./page-settings.ts";
import { findFault, pinHost } from "./self-test.ts";
import { openSession } from "./session.ts";

const page = readPage();
const host = pinHost(page);
const fault = findFault(page) ?? (host ? undefined : "It cannot tell which host embeds it.");
if (fault || !host) {
  // Not a word to whoever embeds us: it is not the Host we know.
  showNotice({ title: "This app cannot run here", reason: fault ?? "" });
} else if ("view" in page) openSession(page, host);
else openEntrance(page, host);
