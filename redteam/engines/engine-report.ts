import type { Channel } from "../channels/channel.ts";
import { CHANNELS } from "../channels/channel-table.ts";
import type { EgressColumn } from "./egress-column.ts";
import {
  controlCode,
  type Findings,
  fired,
  held,
  lacking,
  reasonOf,
  type Shown,
  sandboxCode,
  withCode,
} from "./findings.ts";
import { isolationSection } from "./isolation-run.ts";

/** The scenarios of one engine, for a terminal. */
export function scenarioLines({ scenarios }: Shown): string {
  return scenarios
    .flatMap(({ scenario, complaints, notes, reservations, lacks }) => [
      `${wordFor(complaints, lacks)} ${scenario.id}: ${scenario.title}`,
      ...complaints.map((text) => `         ${text}`),
      ...lacks.map((text) => `         ${text}`),
      ...reservations.map((text) => `         but: ${text}`),
      ...notes.map((text) => `         (${text})`),
    ])
    .join("\n");
}

function wordFor(complaints: readonly string[], lacks: readonly string[]): string {
  if (complaints.length > 0) return "BROKEN";
  return lacks.length > 0 ? "LACKS " : "holds ";
}

/** The egress of all engines, for a terminal: control, then sandbox. */
export function egressTable(all: readonly Findings[]): string {
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(24)}${cells.map((cell) => cell.padEnd(12)).join("")}`.trimEnd();
  return [
    line(
      "channel",
      all.map(({ name }) => name),
    ),
    ...channelsOf(all).map((channel) => line(channel.id, codes(all, channel))),
  ].join("\n");
}

export function lastLine(all: readonly Findings[]): string {
  const leaks = all
    .filter(({ name }) => name !== "chromium")
    .map(
      ({ name, egress }) => `${name}: [${egress ? withCode(egress, "L").join(", ") : "not run"}]`,
    );
  return `engines: ${countsOf(all)}; egress leaks ${leaks.join(", ")}`;
}

export function hostLine(all: readonly Shown[]): string {
  const lacks = all
    .filter((one) => lacking(one).length > 0)
    .map((one) => `${one.name} cannot: ${lacking(one).join(", ")}`);
  return ["host: ", [countsOf(all), ...lacks].join("; ")].join("");
}

function countsOf(all: readonly Shown[]): string {
  return all.map((one) => `${one.name} ${held(one)}/${one.scenarios.length}`).join(", ");
}

/** The whole run as a page of the documentation. */
export function enginePage(all: readonly Findings[], host: string): string {
  const names = all.map(({ name, version }) => `${name} ${version}`);
  return `${[
    "# Three engines",
    "Written by `node --conditions=@vitrine/source redteam/engines/run.ts`; do not edit. The sandbox as it is, on names below `localhost` (tier 2), in real browsers with fresh profiles: " +
      `${names.join(", ")}.`,
    "## Behaviour",
    scenarioTable(all),
    notesOf(all),
    host,
    isolationSection(all, table),
    "## Egress",
    "First without any defence, then in the sandbox. `L`: bytes reached the attacker, `d`: only a DNS query did, `.`: nothing, `K`: nothing, and the relay stopped the view, `n`: nothing, but the channel does not fire in this engine without a defence either, `!`: the view did not start.",
    table(
      ["channel", ...all.map(({ name }) => name)],
      channelsOf(all).map((channel) => [`\`${channel.id}\``, ...codes(all, channel)]),
    ),
    ...all.map(({ name, egress }) => (egress ? summary(name, egress) : `**${name}**: not run.`)),
    "## Telling at run time whether Connection-Allowlist is honoured",
    "A page with the header `Connection-Allowlist: ();report-to=…` and no CSP asks its own origin for something, then makes a peer connection.",
    table(
      ["", ...all.map(({ name }) => name)],
      [
        ["fetch of its own origin", ...all.map(({ signs }) => signs.fetch)],
        ["the request arrived", ...all.map(({ signs }) => (signs.arrived ? "yes" : "no"))],
        ["`ReportingObserver` after it", ...all.map(({ signs }) => signs.fetchReports)],
        ["peer connection", ...all.map(({ signs }) => signs.peer)],
        ["`ReportingObserver` after it", ...all.map(({ signs }) => signs.peerReports)],
      ],
    ),
  ].join("\n\n")}\n`;
}

const HOST_TITLE = "## The Host";

/** The section on the Host in a page that was written before. */
export function readHostSection(page: string): string {
  const begin = page.indexOf(HOST_TITLE);
  const end = page.indexOf("\n## ", begin);
  if (begin < 0 || end < 0) throw new Error("The page has no section on the Host.");
  return page.slice(begin, end).trimEnd();
}

/** A page with the section on isolation of another run. */
export function replaceIsolation(page: string, all: readonly Findings[]): string {
  const egress = page.indexOf("\n## Egress");
  const begin = page.indexOf("\n## Isolation");
  const before = page.slice(0, begin < 0 ? egress : begin);
  return `${before}\n${isolationSection(all, table)}\n${page.slice(egress)}`;
}

export function hostSection(hosts: readonly Shown[]): string {
  const names = hosts.map(({ name, version }) => `${name} ${version}`);
  return [
    HOST_TITLE,
    `\`createHost\` in a page with the policy of a product, before the same sandbox, with a View on our SDK: ${names.join(", ")}. Clicks and keys are a user's: of the screen in Firefox, of the browser's own input in the others.`,
    scenarioTable(hosts),
    notesOf(hosts),
  ].join("\n\n");
}

function scenarioTable(all: readonly Shown[]): string {
  return table(
    ["", ...all.map(({ name }) => name)],
    (all[0]?.scenarios ?? []).map(({ scenario }) => [
      `${scenario.title} (\`${scenario.id}\`)`,
      ...all.map((one) => verdict(one, scenario.id)),
    ]),
  );
}

function channelsOf(all: readonly Findings[]): readonly Channel[] {
  return CHANNELS.filter((channel) => all.some(({ egress }) => egress?.channels.includes(channel)));
}

function codes(all: readonly Findings[], channel: Channel): string[] {
  return all.map(({ egress }) =>
    egress ? `${controlCode(egress, channel)} ${sandboxCode(egress, channel)}` : "not run",
  );
}

function verdict({ scenarios }: Shown, id: string): string {
  const result = scenarios.find(({ scenario }) => scenario.id === id);
  if (!result) return "not run";
  const { complaints, reservations, lacks } = result;
  if (complaints.length > 0) return `**broken**: ${complaints.join("; ")}`;
  if (lacks.length > 0) return `**cannot**: ${lacks.join("; ")}`;
  return ["holds", ...reservations].join(", but ");
}

function notesOf(all: readonly Shown[]): string {
  const lines = all.flatMap(({ name, scenarios }) =>
    scenarios.flatMap(({ scenario, notes }) =>
      notes.length > 0 ? [`- ${name}, \`${scenario.id}\`: ${notes.join("; ")}`] : [],
    ),
  );
  // Names of cells and ports differ from run to run and mean nothing to a reader.
  const text = lines.join("\n").replaceAll(/\brt[0-9a-z]{8}\.evil\.test:\d+/g, "attacker.test");
  return `Seen on the way:\n\n${text}`;
}

function summary(name: string, column: EgressColumn): string {
  const list = (ids: readonly string[]) => ids.map((id) => `\`${id}\``).join(", ") || "none";
  const silent = column.channels.filter((channel) => sandboxCode(column, channel) === "n");
  const counts = `${fired(column)} of ${column.channels.length} channels fire without a defence`;
  return [
    `**${name}**: ${counts}. Leaks in the sandbox: ${list(withCode(column, "L"))}. Only a DNS query: ${list(withCode(column, "d"))}.`,
    ...silent.map((channel) => `- not proven: \`${channel.id}\`, ${reasonOf(column, channel)}`),
  ].join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
