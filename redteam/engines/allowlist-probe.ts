import type { Engine, EnginePage } from "./engine.ts";
import type { Field } from "./field.ts";
import { watch } from "./patience.ts";

/** How a page can tell whether its browser honours `Connection-Allowlist`; each answer in words. */
export interface AllowlistSigns {
  /** A request to the page's own origin, which an empty list forbids. */
  readonly fetch: string;
  /** Whether that request reached the server. */
  readonly arrived: boolean;
  /** Types of the reports that a `ReportingObserver` in the page was given for it. */
  readonly fetchReports: string;
  /** Making a peer connection and asking it for candidates. */
  readonly peer: string;
  readonly peerReports: string;
}

declare global {
  interface Window {
    signs?: Omit<AllowlistSigns, "arrived">;
  }
}

/** Opens a page with an empty allow-list and without any CSP, so that no other rule can answer. */
export async function probeAllowlist(engine: Engine, field: Field): Promise<AllowlistSigns> {
  const path = `/allowlist-${engine.name}`;
  const page = `<!doctype html><script>(${probe.toString()})(${JSON.stringify(path)})</script>`;
  const url = field.serve(path, page, {
    // Without an endpoint Chromium makes no report, not even for the page itself.
    "connection-allowlist": "();report-to=probe",
    "reporting-endpoints": `probe="${field.sandbox.hostOrigin}${path}-report"`,
  });
  const open = await engine.open(url);
  const read = (target: EnginePage) => target.evaluate(() => window.signs ?? null, null);
  const signs = await watch(() => read(open), Boolean, 10_000);
  await open.close();
  const none = { fetch: "no answer", fetchReports: "none", peer: "no answer", peerReports: "none" };
  return { ...(signs ?? none), arrived: field.asked.includes(`${path}-fetched`) };
}

function probe(path: string): void {
  let types: string[] = [];
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  const ask = async (step: () => unknown): Promise<string> => {
    try {
      return String(await step());
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`.slice(0, 90);
    }
  };
  const reports = async () => {
    await pause(500);
    const seen = types.join() || "none";
    types = [];
    return seen;
  };
  const run = async () => {
    await ask(() => {
      const observe: ReportingObserverCallback = (list) =>
        types.push(...list.map(({ type }) => String(type)));
      new ReportingObserver(observe, { buffered: true }).observe();
    });
    const answer = await ask(async () => `status ${(await fetch(`${path}-fetched`)).status}`);
    const fetchReports = await reports();
    const peer = await ask(async () => {
      const iceServers = [{ urls: "stun:127.0.0.1:3478" }];
      const connection = new RTCPeerConnection({ iceServers });
      connection.createDataChannel("probe");
      await connection.setLocalDescription(await connection.createOffer());
      await pause(500);
      return `${connection.connectionState}, gathering ${connection.iceGatheringState}`;
    });
    window.signs = { fetch: answer, fetchReports, peer, peerReports: await reports() };
  };
  void run();
}
