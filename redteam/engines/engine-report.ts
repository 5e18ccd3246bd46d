import type { Channel } from "../channels/channel.ts";
import { CHANNELS } from "../channels/channel-table.ts";
import type { EgressColumn } from "./egress-column.ts";
import {
  controlCode,
  type Findings,
  fired,
  held,
  reasonOf,
  sandboxCode,
  withCode,
} from "./findings.ts";

/** The scenarios of one engine, for a terminal. */
export function scenarioLines({ scenarios }: Findings): string {
  return scenarios
    .flatMap(({ scenario, complaints, notes, reservations }) => [
      `${complaints.length === 0 ? "holds " : "BROKEN"} ${scenario.id}: ${scenario.title}`,
      ...complaints.map((text) => `         ${text}`),
      ...reservations.map((text) => `         but: ${text}`),
      ...notes.map((text) => `         (${text})`),
    ])
    .join("\n");
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
  const counts = all.map((one) => `${one.name} ${held(one)}/${one.scenarios.length}`);
  const leaks = all
    .filter(({ name }) => name !== "chromium")
    .map(
      ({ name, egress }) => `${name}: [${egress ? withCode(egress, "L").join(", ") : "not run"}]`,
    );
  return `engines: ${counts.join(", ")}; egress leaks ${leaks.join(", ")}`;
}

/** The whole run as a page of the documentation. */
export function enginePage(all: readonly Findings[]): string {
  const names = all.map(({ name, version }) => `${name} ${version}`);
  return `${[
    "# Three engines",
    "Written by `node --conditions=@vitrine/source redteam/engines/run.ts`; do not edit. The sandbox as it is, on names below `localhost` (tier 2), in real browsers with fresh profiles: " +
      `${names.join(", ")}.`,
    "## Behaviour and isolation",
    table(
      ["", ...all.map(({ name }) => name)],
      (all[0]?.scenarios ?? []).map(({ scenario }) => [
        `${scenario.title} (\`${scenario.id}\`)`,
        ...all.map((one) => verdict(one, scenario.id)),
      ]),
    ),
    notesOf(all),
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

function channelsOf(all: readonly Findings[]): readonly Channel[] {
  return CHANNELS.filter((channel) => all.some(({ egress }) => egress?.channels.includes(channel)));
}

function codes(all: readonly Findings[], channel: Channel): string[] {
  return all.map(({ egress }) =>
    egress ? `${controlCode(egress, channel)} ${sandboxCode(egress, channel)}` : "not run",
  );
}

function verdict({ scenarios }: Findings, id: string): string {
  const result = scenarios.find(({ scenario }) => scenario.id === id);
  if (!result) return "not run";
  const { complaints, reservations } = result;
  if (complaints.length > 0) return `**broken**: ${complaints.join("; ")}`;
  return ["holds", ...reservations].join(", but ");
}

function notesOf(all: readonly Findings[]): string {
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
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
