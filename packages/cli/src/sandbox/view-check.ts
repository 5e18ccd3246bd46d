import { connectionProblem } from "./connection-problem.ts";
import { pageProblems } from "./entrance-check.ts";
import { type Exchange, frameHeaders, headerOf } from "./exchange.ts";
import { EMBEDDABLE, headerProblems } from "./header-problems.ts";
import { policyProblems } from "./policy-problems.ts";
import { type Problem, problem } from "./problem.ts";
import { DOCUMENT } from "./registration-check.ts";
import type { Run } from "./run.ts";
import { readSandboxPage, type SandboxPage } from "./sandbox-page.ts";

const PERMISSIONS: [string, RegExp, string] = [
  "permissions-policy",
  /(?:^|[\s,])camera=\(\)[\s\S]*(?:^|[\s,])geolocation=\(\)/,
  "views could use the host's permissions, such as the camera",
];

/** Opens registered views as the browser does: the relay page, then the document, once. */
export async function checkViews(run: Run, pages: readonly string[]): Promise<Problem[]> {
  const [first] = pages;
  if (first === undefined) return [];
  try {
    return await openViews(run, pages);
  } catch (error) {
    return [connectionProblem(first, error)];
  }
}

async function openViews(run: Run, pages: readonly string[]): Promise<Problem[]> {
  const headers = frameHeaders(run.host);
  const opened: { exchange: Exchange; page: SandboxPage }[] = [];
  const lost: string[] = [];
  for (const url of pages) {
    const exchange = await run.send(url, { headers });
    const page = exchange.status === 200 ? readSandboxPage(exchange.text) : undefined;
    if (page?.view) opened.push({ exchange, page });
    else lost.push(`${exchange.status}`);
  }
  const problems: Problem[] = [];
  if (lost.length > 0) {
    const cause = `${lost.length} of ${pages.length} registered views weren't found when they were opened over another connection (status ${[...new Set(lost)].join(", ")}). Several instances serve the sandbox, each with its own store.`;
    const remedy =
      "Pass one store for all instances: createSandbox({ store: redisStore(…) }). The default store is the memory of one process.";
    problems.push(problem("store-not-shared", pages[0] ?? "", { cause, remedy }));
  }
  const [one] = opened;
  if (!one) return problems;
  const { exchange, page } = one;
  problems.push(
    ...pageProblems(exchange, page),
    ...policyProblems(exchange, {
      "default-src": "'none'",
      "script-src": page.scriptHash,
      "frame-src": new RegExp(`^${escaped(page.view ?? "")}(?: \\S+)?$`),
      "frame-ancestors": page.hosts.join(" "),
      "base-uri": "'none'",
      "form-action": "'none'",
    }),
    ...headerProblems(exchange, { required: [PERMISSIONS, ...EMBEDDABLE] }),
  );
  return [...problems, ...(await openDocument(run, page))];
}

async function openDocument(run: Run, { view = "", hosts }: SandboxPage): Promise<Problem[]> {
  const { send, deployment } = run;
  const headers = {
    ...frameHeaders(undefined),
    "sec-fetch-site": deployment.tier === "domain" ? "same-site" : "cross-site",
  };
  const exchange = await send(view, { headers });
  if (exchange.status !== 200) {
    const cause = `The document of a view is answered with status ${exchange.status}, although its relay page was opened just before.`;
    const remedy = "Use one store for all instances, and route all names of views to them.";
    return [problem("store-not-shared", view, { cause, remedy })];
  }
  const problems = [
    ...documentProblems(exchange),
    ...policyProblems(exchange, {
      "default-src": "'none'",
      "frame-ancestors": [deployment.proxy, ...hosts].join(" "),
      sandbox: /^allow-scripts(?: allow-same-origin)?(?: allow-forms)?$/,
    }),
    ...headerProblems(exchange, {
      required: [
        PERMISSIONS,
        [
          "connection-allowlist",
          /^\(\)/,
          "views could send data with WebRTC and DNS queries to addresses they didn't declare",
        ],
        ...EMBEDDABLE,
      ],
    }),
  ];
  const again = await send(view, { headers });
  if (again.status === 200) {
    const cause =
      "A view's document was answered a second time, but it must be opened once. A cache answers, or take() of the store isn't atomic.";
    const remedy =
      "Turn off caching for the sandbox's names, and use a store whose take() reads and deletes in one step.";
    problems.push(problem("opened-twice", view, { cause, remedy }));
  }
  return [...problems, ...(await reportProblems(run, exchange))];
}

/** The guard is the only script that the sandbox adds. */
function documentProblems({ url, text }: Exchange): Problem[] {
  const [head = "", rest = ""] = DOCUMENT.split("<title>");
  const isWhole = text.startsWith(head) && text.endsWith(`<title>${rest}`);
  const scripts = text.match(/<script\b/gi)?.length ?? 0;
  if (isWhole && scripts === 1) return [];
  const cause = `A view's document was changed on the way: it has ${scripts} scripts instead of one, or other HTML.`;
  const remedy =
    "Turn off everything that changes HTML for the sandbox's names: minifying, script loaders, analytics, live reload.";
  return [problem("page-rewritten", url, { cause, remedy })];
}

async function reportProblems({ send }: Run, exchange: Exchange): Promise<Problem[]> {
  const [, address = ""] = /^view="([^"]+)"$/.exec(headerOf(exchange, "reporting-endpoints")) ?? [];
  const headers = { "content-type": "application/reports+json" };
  const isKnown = URL.canParse(address) && new URL(address).origin === new URL(exchange.url).origin;
  const answer = isKnown
    ? await send(address, { method: "POST", headers, body: "[]" }).catch(() => undefined)
    : undefined;
  if (answer?.status === 204) return [];
  const cause = `Browsers can't report blocked requests of views: ${answer ? `status ${answer.status}` : "the header Reporting-Endpoints is missing or was changed"}. Authors of views won't see why something is blocked.`;
  const remedy =
    "Let the proxy pass on Reporting-Endpoints, and POST requests to the names of views.";
  return [problem("no-reports", exchange.url, { cause, remedy, severity: "warning" })];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
