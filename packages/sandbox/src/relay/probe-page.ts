// The program of the page at `/egress`, bundled into `../probe-script.ts`. The page has an empty
// `Connection-Allowlist` and tries a request that only the list forbids. "strict" needs two
// conditions: the request failed, and the browser reported that it enforced the list. The first
// alone could be a dead network; the second alone could be a browser that only reports.

import type { EgressMessage } from "../egress-probe.ts";
import { readPage, type ViewPage } from "./page-settings.ts";
import { findFault, pinHost } from "./self-test.ts";

/** `hosts` and `origin` as in a View's page, and the address that it may not reach. */
type ProbePage = ViewPage & { address: string };

type Finding = Omit<EgressMessage, "vitrine">;

/** The report of browsers that support the list; no type library has it yet. */
interface ListReport {
  type: string;
  body?: { disposition?: unknown } | null;
}

const PATIENCE = 1500;

const partial = (why: string): Finding => ({ egress: "partial", why });

async function findOut(address: string): Promise<Finding> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE, undefined));
  const disposition = watchReports();
  const isAnswered = await Promise.race([late, isReached(address)]);
  if (isAnswered === undefined) return partial("A request was neither answered nor refused.");
  if (isAnswered) return partial("A request that Connection-Allowlist forbids was answered.");
  // Blocked requests are reported only to servers, blocked peer connections to the page as well.
  if (!("RTCPeerConnection" in window)) {
    return partial("A request failed, and without WebRTC nothing tells what stopped it.");
  }
  new RTCPeerConnection().close();
  const word = await Promise.race([late, disposition]);
  if (word === "enforce") {
    const why = "The browser refused a request and a peer connection by Connection-Allowlist.";
    return { egress: "strict", why };
  }
  return partial(
    word === undefined
      ? "A request failed, but the browser does not say that Connection-Allowlist stopped it."
      : "The browser watches Connection-Allowlist and does not enforce it.",
  );
}

/** Whether anything at all answers; `no-cors`, because a page without an origin may not read it. */
function isReached(address: string): Promise<boolean> {
  return fetch(address, { mode: "no-cors", credentials: "omit" }).then(
    () => true,
    () => false,
  );
}

/** The browser's report about the list, once there is one. */
function watchReports(): Promise<string> {
  return new Promise((resolve) => {
    if (!("ReportingObserver" in window)) return;
    const read = (reports: unknown): void => {
      const found = (reports as ListReport[]).find(({ type }) => type === "connection-allowlist");
      if (found) resolve(String(found.body?.disposition));
    };
    new ReportingObserver(read, { buffered: true }).observe();
  });
}

async function reportEgress(address: string, host: string): Promise<void> {
  const finding = await findOut(address).catch((error) => partial(`The probe failed: ${error}`));
  parent.postMessage({ vitrine: "egress", ...finding } satisfies EgressMessage, host);
}

const page = readPage() as ProbePage;
const host = pinHost(page);
// Where the relay wouldn't run either, no message: a Host treats that as "partial".
if (host && !findFault(page)) void reportEgress(page.address, host);
