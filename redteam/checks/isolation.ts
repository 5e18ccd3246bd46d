import type { AttackerRequest } from "../lab/attacker-server.ts";
import type { TargetAddresses } from "../lab/target-addresses.ts";
import type { StagedView } from "../stage/deployment.ts";
import type { LogLine } from "../stage/host-page.ts";
import { hasSaid, INCONCLUSIVE, spoken } from "./check.ts";
import { PROBE_STEPS, type ProbeFindings, type ProbeParameters, probe } from "./isolation-probe.ts";

/** What the measurement needs; the main suite and each engine have it. */
export interface IsolationScene {
  trap(): Promise<TargetAddresses & { readonly cell: string }>;
  open(views: readonly StagedView[]): Promise<{
    readonly page: { evaluate<A>(step: (argument: A) => void, argument: A): Promise<unknown> };
    until(enough: (log: readonly LogLine[]) => boolean): Promise<readonly LogLine[]>;
  }>;
  /** Requests that reached the server both views may reach. */
  requests(): readonly AttackerRequest[];
}

/** Two views, as everything but their documents. */
export type ViewPair = readonly [
  Omit<StagedView, "html" | "name">,
  Omit<StagedView, "html" | "name">,
];

/** Views that differ in one part of their identity and must share nothing. */
export const PAIRS: Readonly<Record<"servers" | "users" | "policies", ViewPair>> = {
  servers: [{ server: "https://left.example/mcp" }, { server: "https://right.example/mcp" }],
  users: [
    { server: "https://one.example/mcp", user: "ann" },
    { server: "https://one.example/mcp", user: "bob" },
  ],
  policies: [
    { server: "https://one.example/mcp" },
    { server: "https://one.example/mcp", csp: { resourceDomains: ["https://cdn.example.com"] } },
  ],
};

/** Two views of one server, user and policy: the control, which shows what the probe can see. */
export const SAME_VIEWS: ViewPair = [
  { server: "https://same.example/mcp" },
  { server: "https://same.example/mcp" },
];

/** The means by which a probe searches, in the groups of the table in docs/engines.md. */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  cookies: ["document.cookie", "document.cookie of a nested frame", "cookieStore"],
  storage: [
    ...["localStorage", "sessionStorage", "IndexedDB", "Cache Storage", "private file system"],
    "storage buckets",
  ],
  cache: ["HTTP cache"],
  history: ["history.length", "history.state"],
  names: ["window.name", "a window by its name"],
  channels: ["BroadcastChannel", "SharedWorker", "Web Locks", "storage event", "message"],
  windows: [
    ...["windows of the host", "windows of its proxy", "an opener", "its sibling"],
    ...["the proxy's document", "the host's document"],
  ],
};

/** The outcome of one measurement. */
export interface Isolation {
  /** The means that connected the views, each once, in the order of `AREAS`. */
  readonly shared: readonly string[];
  /** Why the measurement proves nothing, if it doesn't. */
  readonly problems: readonly string[];
}

const UNREACHED = ["0", "null", "undefined", "SecurityError"];
const NAMES = ["left", "right"] as const;

let runs = 0;

/** Shows two probes on one page and compares what each found of the other. */
export async function measureIsolation(scene: IsolationScene, pair: ViewPair): Promise<Isolation> {
  const { declarable, cell } = await scene.trap();
  runs += 1;
  // Marks are unique, so that checks that run side by side don't find each other's.
  const marks = NAMES.map((name) => `of-${name}-${process.pid}-${runs}`) as [string, string];
  const host = await scene.open(
    NAMES.map((name, at) => {
      const { csp, ...view } = pair[at as 0 | 1];
      return {
        ...view,
        name,
        html: probe(),
        csp: { ...Object(csp), connectDomains: [declarable] },
      };
    }),
  );
  const both = (enough: (log: readonly LogLine[], name: string) => boolean) =>
    host.until((log) => NAMES.every((name) => enough(log, name)));
  const cacheable = `${declarable}/cacheable?`;
  const start = (method: string) =>
    host.page.evaluate(
      ({ named, left, right }) => {
        for (const [name, port] of Object.entries(window.redteam.ports)) {
          const params = name === "left" ? left : right;
          port.postMessage({ msg: { jsonrpc: "2.0", method: named, params } });
        }
      },
      {
        named: method,
        left: { mark: marks[0], other: marks[1], cacheable } satisfies ProbeParameters,
        right: { mark: marks[1], other: marks[0], cacheable } satisfies ProbeParameters,
      },
    );
  await both((log, name) => hasSaid(log, "ready", name));
  await start(PROBE_STEPS.write);
  await both((log, name) => hasSaid(log, "written", name));
  await start(PROBE_STEPS.read);
  const log = await both((lines, name) => findingsOf(lines, name) !== undefined);
  const found = NAMES.map((name) => findingsOf(log, name));
  if (!found[0] || !found[1]) {
    const last = NAMES.map((name) => `${name} said ${JSON.stringify(spoken(log, name))}`);
    return { shared: [], problems: [`${INCONCLUSIVE}${last.join("; ")}`] };
  }
  const requests = scene.requests().filter((request) => request.cell === cell);
  const seen = new Set(
    found.flatMap((findings, at) =>
      crossings(findings as ProbeFindings, marks[at === 0 ? 1 : 0], requests),
    ),
  );
  const means = Object.values(AREAS).flat();
  return { shared: means.filter((one) => seen.has(one)), problems: [] };
}

function findingsOf(log: readonly LogLine[], view: string): ProbeFindings | undefined {
  return spoken(log, view).find((data) => Object(data).means) as ProbeFindings | undefined;
}

/** The means by which a view found the other one's mark. */
function crossings(
  { means, windows }: ProbeFindings,
  other: string,
  requests: readonly AttackerRequest[],
): string[] {
  // The writer of a mark requested it once; a reader who didn't has it from the writer's cache.
  const count = requests.filter(({ path }) => path.endsWith(other)).length;
  const isCached = means["HTTP cache"] === "200" && count === 1;
  return [
    ...Object.keys(means).filter((one) => means[one]?.includes(other)),
    ...(isCached ? ["HTTP cache"] : []),
    ...Object.keys(windows).filter((one) => !UNREACHED.includes(windows[one] ?? "")),
  ];
}
