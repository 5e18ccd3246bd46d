// The tables of docs/scale.md, between their markers, from the figures and the model.

import { readFileSync, writeFileSync } from "node:fs";
import { ASSUMPTIONS, billFor } from "./scale-model.ts";

const DOCUMENT = new URL("../../docs/scale.md", import.meta.url);
const VIEWS = [10_000, 100_000, 1_000_000];

const count = (value) => Math.round(value).toLocaleString("en-US");
const decimal = (value, digits = 1) => value.toFixed(digits);

/** Bytes in the unit that leaves the fewest digits. */
function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let place = 0;
  let rest = value;
  while (rest >= 1_000 && place < units.length - 1) {
    rest /= 1_000;
    place += 1;
  }
  return `${rest >= 100 || place === 0 ? Math.round(rest) : rest.toPrecision(2)} ${units[place]}`;
}

const toMarkdown = (heads, rows) =>
  [
    `| ${heads.join(" | ")} |`,
    `|${heads.map((_, n) => (n ? "---:" : "---")).join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");

function measuredTable(figures) {
  const { curve, machine } = figures;
  const [few, many] = figures.rates;
  const list = (values) => values.map((each) => `${decimal(each)} µs`).join(", ");
  const rows = [
    [`call to a modern server, 1, 2, 3 gateways with ${many} calls/s each, CPU`, list(curve)],
    [`the same with ${few} calls/s each`, list(figures.curveFew)],
    [
      "each further call",
      `${decimal(figures.modernCpu)} µs`,
      "*computed*: slope of a line through both loads, 3 gateways",
    ],
    [
      "a gateway that has calls, besides",
      `${decimal(figures.processCpu / 1_000)} ms CPU a second`,
      "*computed*: where that line begins",
    ],
    [
      "each further call to a program at its owner",
      `${decimal(figures.statefulCpu)} µs`,
      "*computed*: the same and what a program adds, 1 gateway",
    ],
    [
      "passing such a call on, both gateways together",
      `${decimal(figures.hopCpu)} µs`,
      "*computed*: (3 gateways − 1 gateway) ÷ ⅔, the share that is passed on",
    ],
    ["NATS CPU of a modern call (its audit), three nodes", `${decimal(figures.natsCpuModern)} µs`],
    ["NATS CPU of a call to a program, three nodes", `${decimal(figures.natsCpuStateful)} µs`],
    ["idle gateway", `${decimal(figures.idleGatewayCpu / 1_000)} ms CPU a second`],
    ["three idle NATS nodes", `${decimal(figures.idleNatsCpu / 1_000)} ms CPU a second`],
    ["gateway without Views, memory", bytes(figures.gatewayBytes)],
    ["idle View, memory of the process", bytes(figures.viewBytes)],
    ["idle View, CPU", `${decimal(figures.viewCpu, 2)} µs a second`],
    ["audit of a call at level `full`, stored on each replica", bytes(figures.auditBytes)],
  ].map(([what, value, how = "*measured*"]) => [what, value, how]);
  const when = `${figures.measuredAt}, \`${figures.command}\`, ${machine.cores} shared cores, ${machine.busyPercent} % busy${machine.isQuick ? ", a quick run" : ""}`;
  return `${toMarkdown(["what", "figure", ""], rows)}\n\n${when}.`;
}

function billTable(figures) {
  const bills = VIEWS.map((views) => billFor(figures, views));
  const row = (what, read, formula) => [what, ...bills.map(read), formula];
  const rows = [
    row("calls a second", ({ calls }) => count(calls), "views × calls of a View"),
    row(
      "CPU of calls, cores",
      ({ cpu }) => decimal(cpu.calls, 2),
      "calls of each kind × what each further one adds",
    ),
    row("CPU of passing on, cores", ({ cpu }) => decimal(cpu.hops, 2), "stateful calls × hop"),
    row("CPU of idle views, cores", ({ cpu }) => decimal(cpu.views, 2), "views × CPU of a View"),
    row(
      "gateway processes",
      ({ processes }) => count(processes),
      "larger of CPU × work factor ÷ (load − besides) and views ÷ 25,000, × spare",
    ),
    row(
      "cores for gateways",
      ({ cores }) => count(cores),
      "(CPU × work factor + processes × besides) ÷ load × spare",
    ),
    row("machines of 8 cores", ({ machines }) => count(machines), "processes ÷ 6, at least 3"),
    row(
      "memory of all gateways",
      ({ memory }) => bytes(memory),
      "views × bytes + processes × base",
    ),
    row("memory of one", ({ memoryPerProcess }) => bytes(memoryPerProcess), "of all ÷ processes"),
    row("CPU of NATS, cores", ({ nats }) => decimal(nats.cpu, 2), "calls × NATS CPU + idle"),
    row(
      "NATS nodes",
      ({ nats }) => `${nats.nodes} of ${nats.coresPerNode} cores`,
      "3, and groups of 3 for the log above 40 MB/s",
    ),
    row("audit written, one copy", ({ audit }) => `${bytes(audit.rate)}/s`, "calls × stored bytes"),
    row("audit a day, one copy", ({ audit }) => bytes(audit.perDay), "× 86,400 s"),
    row("disk for 48 h, all replicas", ({ audit }) => bytes(audit.disk), "× 3 × 48 h"),
    row("network to views", ({ network }) => `${bytes(network.views)}/s`, "calls × frames"),
    row("network to servers", ({ network }) => `${bytes(network.servers)}/s`, "calls × frames"),
    row(
      "network of hops",
      ({ network }) => `${bytes(network.hops)}/s`,
      "stateful calls × hop bytes",
    ),
    row("network of audit", ({ network }) => `${bytes(network.audit)}/s`, "audit × 3"),
  ].map((cells) => [...cells, "*computed*"]);
  const heads = ["", ...VIEWS.map((views) => `${count(views)} views`), "formula", ""];
  return toMarkdown(heads, rows);
}

function assumptionTable() {
  const a = ASSUMPTIONS;
  return toMarkdown(
    ["assumed", ""],
    [
      ["calls of a View a second", `${a.callsPerView}`],
      ["of these to programs and old servers", `${a.statefulShare * 100} %`],
      ["work that the bench does not have (TLS, JWTs, larger frames)", `× ${a.workFactor}`],
      ["load that is planned for", `${a.targetLoad * 100} % of a core`],
      ["spare, so that one of three zones may be lost", `× ${a.spare}`],
      ["views of one process at most", count(a.viewsPerProcess)],
      ["kernel memory of a connection", bytes(a.kernelBytesPerView)],
      ["a call on the wire, both ways, on each side", bytes(a.frameBytes)],
      ["a call that is passed on, both ways", bytes(a.hopBytes)],
      ["audit that three NATS nodes write in all", `${bytes(a.auditBytesPerGroup)}/s`],
    ],
  );
}

/** Puts the tables into a text, each between its markers. */
export function fillTables(text, figures) {
  const tables = {
    measured: measuredTable(figures),
    bill: billTable(figures),
    assumptions: assumptionTable(),
  };
  return Object.entries(tables).reduce((whole, [name, table]) => {
    const [begin, end] = [`<!-- ${name}: npm run bench:scale -- --tables -->`, `<!-- /${name} -->`];
    const [from, to] = [whole.indexOf(begin), whole.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`docs/scale.md has no place for "${name}".`);
    return `${whole.slice(0, from + begin.length)}\n${table}\n${whole.slice(to)}`;
  }, text);
}

/** Writes the tables of docs/scale.md. */
export function writeTables(figures) {
  writeFileSync(DOCUMENT, fillTables(readFileSync(DOCUMENT, "utf8"), figures));
}
