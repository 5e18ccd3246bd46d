// Tools that a View offers to its Host.

import { wordsOf } from "../deadline.ts";
import { brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import type { ProbePlan } from "../targets/probe-view.ts";
import { tool, withHost } from "./host-setup.ts";

const OUTPUT = { type: "object", properties: { count: { type: "number" } }, required: ["count"] };
const NO_HOOK = "The driver doesn't report a view's tools.";

const TOOLS: ProbePlan["tools"] = [
  { tool: tool("look") },
  { tool: tool("change", { annotations: { readOnlyHint: false } }) },
  { tool: { name: "bare", inputSchema: { type: "object" } } },
  // As a tool of the server is called.
  { tool: tool("show") },
  {
    tool: tool("lies", { outputSchema: OUTPUT }),
    result: { content: [], structuredContent: { count: "many" } },
  },
];
const PLAN: ProbePlan = { appCapabilities: { tools: { listChanged: true } }, tools: TOOLS };

export const APP_TOOL_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "waits for a view's tool that never answers, and for one that answers too much",
    rules: ["HST-94"],
    run: async (target) => [await judgeLimits(target)],
  },
  {
    title: "shows a view without tools, and checks for requests about them",
    rules: ["HST-90"],
    run: (target) =>
      withHost(target, {}, async (session) => {
        await session.greeted();
        if (session.has("appTools")) await session.driver.appTools?.(session.page).catch(() => []);
        await session.quiet(500);
        const asked = session
          .messages("in")
          .filter(({ method }) => /^tools\//.test(String(method)));
        const faults = asked.map(
          ({ method }) => `${method} was sent to a view that declared no tools`,
        );
        return [
          judge(
            "HST-90",
            [...new Set(faults)],
            "It got no requests for features that it had not declared.",
          ),
        ];
      }),
  },
  {
    title: "lists the view's tools and calls them",
    rules: ["HST-91", "HST-92", "HST-93", "HST-95", "HST-96", "HST-97", "HST-101"],
    run(target) {
      return withHost(target, { parts: { plan: PLAN } }, async (session) => {
        await session.greeted();
        if (!session.has("appTools")) return this.rules.map((rule) => absent(rule, NO_HOOK));
        return judgeTools(session);
      });
    },
  },
  {
    title: "closes a view with tools, and reopens the page",
    rules: ["HST-98", "HST-99", "HST-100"],
    run(target) {
      return withHost(target, { parts: { plan: PLAN } }, async (session) => {
        await session.greeted();
        if (!session.has("appTools")) return this.rules.map((rule) => absent(rule, NO_HOOK));
        return judgeLives(session);
      });
    },
  },
];

/** A call of a view's tool by the host: its outcome, and whether the user was asked. */
async function call(
  session: HostSession,
  name: string,
  answer: "approve" | "deny" = "approve",
): Promise<{ result?: Json; error?: string; asked: boolean }> {
  let outcome: { result?: Json; error?: string } | undefined;
  void session.driver.callAppTool?.(session.page, name, {}).then(
    (result) => {
      outcome = { result };
    },
    (error) => {
      outcome = { error: wordsOf(error).split("\n")[0] ?? "" };
    },
  );
  let asked = false;
  for (const until = Date.now() + 45_000; !outcome && Date.now() < until; ) {
    if (session.has(answer)) asked = (await session.driver[answer]?.(session.page)) || asked;
    await session.quiet(40);
  }
  return { ...(outcome ?? { error: "no answer in 45 s" }), asked };
}

async function offered(session: HostSession): Promise<{ name: string; description?: string }[]> {
  return (await session.driver.appTools?.(session.page)) ?? [];
}

/** The host's name for a view's tool. */
function named(tools: readonly { name: string }[], own: string): string {
  return tools.find(({ name }) => name === own || name.endsWith(own))?.name ?? own;
}

function calledIn(session: HostSession, own: string): boolean {
  return session.messages("in", "tools/call").some(({ params }) => params?.name === own);
}

const DECIDED = ["HST-91", "HST-92", "HST-93", "HST-95", "HST-96", "HST-97", "HST-101"];

async function judgeTools(session: HostSession): Promise<Finding[]> {
  const tools = await offered(session);
  if (tools.length === 0) {
    return DECIDED.map((rule) => absent(rule, "The host doesn't offer the view's tools."));
  }
  const look = await call(session, named(tools, "look"));
  const consent = await judgeConsent(session, tools);
  const lied = await call(session, named(tools, "lies"));
  const isTaken = lied.error === undefined && !lied.result?.isError;
  const names = tools.map(({ name }) => name);
  const source = "conformance-probe";
  const anonymous = tools.filter(
    ({ name, description = "" }) => !`${name} ${description}`.includes(source),
  );
  return [
    judge(
      "HST-91",
      anonymous.map(({ name }) => `${name} doesn't identify the app`),
      `Tools are offered as ${brief(tools[0])}.`,
    ),
    consent,
    judge(
      "HST-93",
      [
        ...(names.includes("show") ? ["a view's tool has the name of a server's"] : []),
        ...(new Set(names).size < names.length ? ["two tools have one name"] : []),
      ],
      `The view's "show" became ${named(tools, "show")}.`,
    ),
    await judgeAudit(session),
    judge(
      "HST-96",
      isTaken ? [`a result that violates its schema was accepted: ${brief(lied.result)}`] : [],
      `A result that violates its schema: ${brief(lied.error ?? lied.result)}.`,
    ),
    holds("HST-97", `A read-only tool ${look.asked ? "needs consent too" : "needs no question"}.`),
    await judgeTasks(session),
  ];
}

/** A tool that changes things and one without annotations, each with a user who declines. */
async function judgeConsent(
  session: HostSession,
  tools: readonly { name: string }[],
): Promise<Finding> {
  const faults: string[] = [];
  for (const own of ["change", "bare"]) {
    const { asked } = await call(session, named(tools, own), "deny");
    if (!calledIn(session, own)) continue;
    const what = own === "bare" ? "without annotations" : "with readOnlyHint: false";
    faults.push(`a tool ${what} was called ${asked ? "after a refusal" : "without asking"}`);
  }
  if (faults.length === 0 && !session.has("deny")) {
    return absent("HST-92", "The driver can't answer for the user.");
  }
  return judge("HST-92", faults, "Both wait for the user, and a refusal is respected.");
}

async function judgeAudit(session: HostSession): Promise<Finding> {
  if (!session.has("log")) return absent("HST-95", "The driver doesn't report the host's log.");
  const log = (await session.driver.log?.(session.page)) ?? [];
  const isWritten = log.some((line) => line.includes("look"));
  return judge(
    "HST-95",
    isWritten ? [] : ["its log doesn't name the view's tools"],
    "Its log names them.",
  );
}

async function judgeTasks(session: HostSession): Promise<Finding> {
  if (!session.has("appTask")) return absent("HST-101", "The driver can't forward tasks/*.");
  const answer = await session.driver
    .appTask?.(session.page, "tasks/get", { taskId: "a task" })
    .catch((error): Json => ({ error: wordsOf(error) }));
  const came = session.messages("in", "tasks/get")[0];
  const faults = [
    ...(came?.params?.taskId === "a task" ? [] : ["tasks/get did not reach the view"]),
    ...(answer?.echoed?.taskId === "a task" ? [] : [`the response came back as ${brief(answer)}`]),
  ];
  return judge("HST-101", faults, "tasks/get goes to the view and its response back.");
}

async function judgeLimits(target: HostTarget): Promise<Finding> {
  const many = Array.from({ length: 60 }, (_, index) => ({ tool: tool(`tool-${index}`) }));
  const tools = [
    { tool: tool("silent"), silent: true },
    { tool: tool("huge"), bytes: 11 * 2 ** 20 },
    ...many,
  ];
  const plan = { appCapabilities: { tools: { listChanged: true } }, tools };
  return withHost(target, { parts: { plan } }, async (session) => {
    await session.greeted();
    if (!session.has("appTools")) return absent("HST-94", NO_HOOK);
    const listed = await offered(session);
    const asked = session.messages("in", "tools/list").length;
    const change = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    await session.send(...Array.from({ length: 30 }, () => change));
    await session.quiet(1500);
    const more = session.messages("in", "tools/list").length - asked;
    const faults = [
      ...(listed.length > 50 ? [`${listed.length} tools of one view are accepted`] : []),
      ...(more > 5 ? [`30 list changes in a row caused ${more} tools/list`] : []),
    ];
    // The rest takes half a minute, and isn't needed once the verdict is known.
    if (faults.length > 0) return judge("HST-94", faults, "");
    const started = Date.now();
    const silent = await call(session, named(listed, "silent"));
    const time = Date.now() - started;
    const huge = await call(session, named(listed, "huge"));
    faults.push(
      ...(silent.error === undefined || time > 40_000
        ? [`a tool without an answer was waited for ${time / 1000} s`]
        : []),
      ...(huge.error === undefined && !huge.result?.isError
        ? ["a response of 11 MB was accepted"]
        : []),
    );
    const note = `${listed.length} of 62 tools; ${more} lists after 30 changes; no answer after ${Math.round(time / 1000)} s; 11 MB: ${brief(huge.error)}.`;
    return judge("HST-94", faults, note);
  });
}

async function judgeLives(session: HostSession): Promise<Finding[]> {
  const before = await offered(session);
  const look = named(before, "look");
  if (!session.has("close")) {
    const note = "The driver can't close a view.";
    return ["HST-98", "HST-99", "HST-100"].map((rule) => absent(rule, note));
  }
  await session.driver.close?.(session.page);
  await session.quiet();
  const after = await offered(session).catch(() => []);
  const calls = session.messages("in", "tools/call").length;
  const late = await call(session, look);
  const isCalled = session.messages("in", "tools/call").length > calls;
  const inventory = before.length > 0 ? [] : ["declared tools never appeared"];
  if (after.length > 0) inventory.push(`${after.length} tools are offered after the view's end`);
  const lives = judge("HST-98", inventory, `${before.length} tools with the view, none after it.`);
  const dead = judge(
    "HST-100",
    [
      ...(late.error === undefined && !late.result?.isError
        ? [`it was answered ${brief(late.result)}`]
        : []),
      ...(isCalled ? ["it was called"] : []),
    ],
    `A call after the end: ${brief(late.error ?? late.result)}.`,
  );
  return [lives, await judgeForgotten(session), dead];
}

/** The page again, in the same browser, without a view. */
async function judgeForgotten(session: HostSession): Promise<Finding> {
  const { page } = session;
  const address = new URL(page.url());
  for (const name of ["server", "tool", "arguments"]) address.searchParams.delete(name);
  await page.goto(String(address), { waitUntil: "load" });
  await session.quiet(300);
  const kept = await offered(session).catch(() => []);
  const faults = kept.map(({ name }) => `${name} is offered in a page without a view`);
  return judge("HST-99", faults, "The reopened page has none.");
}
