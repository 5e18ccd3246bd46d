import type { ConformanceReport } from "../run.ts";
import type { Outcome } from "../scenario.ts";
import { escapeMarkup } from "./markup.ts";
import { tally, VERDICTS } from "./tally.ts";

// One file without external resources: a report is mailed, attached to a build, opened years later.
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root { color-scheme: light dark; --fail: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5a00, #ffc04d);
  --pass: light-dark(#1b6e34, #7ddb98); --info: light-dark(#0b5cad, #8ab8ff); --quiet: light-dark(#5c6066, #a3a8af);
  --line: light-dark(#dcdfe3, #383c42); --back: light-dark(#ffffff, #16181b); --text: light-dark(#1c1e21, #e8eaed); }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 4rem); background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
.when { color: var(--quiet); margin: 0 0 1.5rem; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; padding: 0; margin: 0 0 1.5rem; list-style: none; }
.counts b { font-size: 1.4rem; margin-right: .35rem; font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; position: absolute; clip-path: inset(50%); }
th, td { text-align: start; vertical-align: top; padding: .55rem .75rem .55rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; }
.note { color: var(--quiet); overflow-wrap: anywhere; }
.fail, .error { color: var(--fail); } .warn { color: var(--warn); } .pass { color: var(--pass); } .info { color: var(--info); }
.not-run { color: var(--quiet); } .force { white-space: nowrap; } code { font: .92em ui-monospace, monospace; }
.verdict { font-weight: 600; white-space: nowrap; }
@media (max-width: 640px) { tr { display: grid; grid-template-columns: auto auto 1fr; column-gap: .75rem; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  th, td { border: 0; padding: 0; } td.what { grid-column: 1 / -1; } thead { position: absolute; clip-path: inset(50%); } }
`;

/** The report as one HTML file, light and dark, without scripts. */
export function renderHtml({
  role,
  subject,
  startedAt,
  milliseconds,
  outcomes,
}: ConformanceReport): string {
  const title = escapeMarkup(`${role}: ${subject}`);
  const counts = tally(outcomes);
  const items = VERDICTS.filter(({ verdict }) => counts[verdict] > 0).map(
    ({ verdict, word }) => `<li class="${verdict}"><b>${counts[verdict]}</b>${word}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="when">MCP Apps conformance, ${escapeMarkup(startedAt)}, ${(milliseconds / 1000).toFixed(1)} s</p>
<ul class="counts">${items.join("")}</ul>
<table>
<caption>Rules of the role ${role} with their verdicts</caption>
<thead><tr><th scope="col">Rule</th><th scope="col">Force</th><th scope="col">Verdict</th><th scope="col">What was seen</th></tr></thead>
<tbody>
${outcomes.map(rowOf).join("\n")}
</tbody>
</table>
</main>
</body>
</html>
`;
}

function rowOf({ id, force, verdict, rule, note }: Outcome): string {
  const word = VERDICTS.find((entry) => entry.verdict === verdict)?.word ?? verdict;
  return `<tr><th scope="row">${id}</th><td class="force">${force.replace("-", " ")}</td><td class="verdict ${verdict}">${word}</td><td class="what">${code(escapeMarkup(rule))}<div class="note">${escapeMarkup(note)}</div></td></tr>`;
}

/** Names of the protocol, which the rules write in backticks. */
function code(markup: string): string {
  return markup.replaceAll(/`([^`]*)`/g, "<code>$1</code>");
}
