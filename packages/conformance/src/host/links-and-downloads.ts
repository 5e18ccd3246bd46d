// Links and downloads that a view requests.

import type { Page } from "playwright-core";
import { brief, type Json } from "../json.ts";
import { absent, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { OUTSIDE } from "../targets/reach.ts";
import { isRefusal, withHost } from "./host-setup.ts";

const LINK = "ui/open-link";
const DOWNLOAD = "ui/download-file";
// More than a message should contain.
const MUCH = 8 * 2 ** 20;

export const LINK_AND_DOWNLOAD_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "opens links, harmless ones and others",
    rules: ["HST-70"],
    run: (target) => withHost(target, {}, async (session) => [await judgeLinks(session)]),
  },
  {
    title: "saves files, some with hostile names",
    rules: ["HST-71", "HST-72", "HST-73", "HST-74"],
    run: (target) => withHost(target, {}, judgeDownloads),
  },
];

function unknown(answer: Json | null): boolean {
  return answer?.error?.code === -32601;
}

async function judgeLinks(session: HostSession): Promise<Finding> {
  await session.greeted();
  const opened: Page[] = [];
  session.page.context().on("page", (page) => opened.push(page));
  const url = `${OUTSIDE.undeclared}/page/link`;
  const { reply } = await session.ask(LINK, { url });
  if (unknown(reply) && !session.capabilities.openLinks) {
    return absent("HST-70", "The host opens no links, and declares that.");
  }
  await session.quiet(600);
  const pages = opened.length;
  const openers = await Promise.all(
    opened.map((page) => page.evaluate(() => window.opener !== null).catch(() => false)),
  );
  const bad = ["javascript:document.title='taken'", "file:///etc/passwd", "data:text/html,<p>x"];
  const faults: string[] = [];
  if (pages === 0 || isRefusal(reply)) faults.push(`${url} was not opened: ${brief(reply)}`);
  if (openers.includes(true)) faults.push("the new page can reach the host's");
  for (const one of bad) {
    const before = opened.length;
    await session.quiet(700);
    const { reply: answer } = await session.ask(LINK, { url: one }, { patience: 3000 });
    if (opened.length > before || !isRefusal(answer)) {
      faults.push(`${brief(one)} was answered ${brief(answer)}`);
    }
  }
  return judge(
    "HST-70",
    faults,
    `A separate page was opened, without a reference back; ${bad.length} others were rejected.`,
  );
}

function file(uri: string, text = "content"): Json {
  return { contents: [{ type: "resource", resource: { uri, mimeType: "text/plain", text } }] };
}

async function judgeDownloads(session: HostSession): Promise<Finding[]> {
  await session.greeted();
  const names: string[] = [];
  session.page.on("download", (download) => names.push(download.suggestedFilename()));
  const first = await session.ask(DOWNLOAD, file("file:///reports/2026/the%20budget.csv"));
  const rules = ["HST-71", "HST-72", "HST-73", "HST-74"];
  if (unknown(first.reply) && !session.capabilities.downloadFile) {
    return rules.map((rule) => absent(rule, "The host saves no files, and declares that."));
  }
  await session.quiet(500);
  const [name] = names;
  if (name === undefined) {
    const why = session.has("approve") ? "" : " The driver can't accept for the user.";
    return rules.map((rule) => absent(rule, `No file was saved: ${brief(first.reply)}.${why}`));
  }
  const hostile = [
    "file:///x/..%2f..%2f.bashrc",
    "file:///x/a%00b.txt",
    "file:///x/con.txt%20.",
    "file:///../../etc/passwd",
  ];
  for (const uri of hostile) {
    await session.quiet(1100);
    await session.ask(DOWNLOAD, file(uri));
  }
  await session.quiet(500);
  const given = session.saved.length > 0 ? session.saved : names;
  const escaping = given
    .slice(1, 1 + hostile.length)
    .filter((one) => /[/\\\0]|^\.\.?$|^\.|[. ]$/.test(one));
  const large = await session.ask(DOWNLOAD, file("file:///big.bin", "x".repeat(MUCH)), {
    patience: 4000,
  });
  return [
    judge(
      "HST-71",
      first.asked ? [] : ["a file was saved without asking the user"],
      "The user was asked first.",
    ),
    judge(
      "HST-72",
      name === "the budget.csv" ? [] : [`the file was named ${brief(name)}`],
      `It was named ${name}.`,
    ),
    judge(
      "HST-73",
      escaping.map((one) => `a file was named ${brief(one)}`),
      `Hostile names became ${brief(given.slice(1, 1 + hostile.length))}.`,
    ),
    holds(
      "HST-74",
      `${MUCH / 2 ** 20} MiB at once: ${brief(large.reply?.result ?? large.reply?.error ?? "no answer")}.`,
    ),
  ];
}
