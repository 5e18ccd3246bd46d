// The contact sheet: one page with a picture of each state of each view, and the findings. Servers and
// views choose most of its text, so it is escaped, and the page has no scripts.

import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printable } from "@vitrine/protocol/printable";
import type { CheckReport } from "../check.ts";
import type { Finding } from "../finding.ts";
import type { Picture } from "../render/picture.ts";
import { RUNS } from "../render/runs.ts";

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#e1e3e8, #303238); --muted: light-dark(#565a65, #a6a9b3); --error: light-dark(#b3261e, #ffa299); --warning: light-dark(#7d4d00, #efbc5a); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px; max-width: 1440px; font: 14px/1.45 system-ui, sans-serif; color: light-dark(#1b1c20, #ececef); background: light-dark(#fff, #17181b); overflow-wrap: anywhere; }
h1 { font-size: 20px; margin: 0 0 4px; } h2 { font-size: 16px; margin: 32px 0 12px; }
p { margin: 0; } .quiet { color: var(--muted); }
ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(280px, 100%), 1fr)); gap: 16px; margin: 0; padding: 0; list-style: none; }
figure { margin: 0; display: grid; gap: 8px; } figcaption { font-weight: 600; }
figure a { display: block; height: 200px; overflow: hidden; border: 1px solid var(--line); border-radius: 8px; background: light-dark(#f6f7f8, #1d1e22); }
figure a:focus-visible { outline: 2px solid light-dark(#0a5dc2, #82b8ff); outline-offset: 2px; }
img { display: block; width: 100%; height: 100%; object-fit: contain; object-position: top; }
ul { margin: 8px 0 0; padding: 0; list-style: none; display: grid; gap: 8px; }
figure ul { font-size: 13px; margin: 0; }
b { font-weight: 600; } .error b { color: var(--error); } .warning b { color: var(--warning); }
`;

/** Titles of states, in the order of the sheet. */
const ORDER = ["normal", "waiting", ...RUNS.slice(1).map(({ name }) => name)];

/** Writes the pictures and `index.html` into a folder. Returns the page's path. */
export async function writeContactSheet(
  folder: string,
  { report, pictures }: { report: CheckReport; pictures: readonly Picture[] },
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const named = pictures.map((picture, at) => ({ picture, file: fileOf(picture, at) }));
  for (const { picture, file } of named) await writeFile(join(folder, file), picture.png);
  const page = join(folder, "index.html");
  await writeFile(page, contactSheet(report, named));
  return page;
}

/** The names are the server's, so two may be the same here. */
function fileOf({ tool, state }: Picture, at: number): string {
  const number = String(at + 1).padStart(2, "0");
  return `${number}-${tool.replace(/[^\w-]+/g, "-").slice(0, 60)}-${state}.png`;
}

interface NamedPicture {
  picture: Picture;
  file: string;
}

/** The page. */
export function contactSheet(report: CheckReport, pictures: readonly NamedPicture[]): string {
  const tools = [...new Set(pictures.map(({ picture }) => picture.tool))];
  const parts = tools.map((tool) => {
    const findings = report.findings.filter(({ place }) => place.tool === tool);
    const own = pictures
      .filter(({ picture }) => picture.tool === tool)
      .toSorted((a, b) => ORDER.indexOf(a.picture.state) - ORDER.indexOf(b.picture.state));
    const states = new Set(own.map(({ picture }) => picture.state));
    const others = findings.filter(({ place }) => !place.run || !states.has(place.run));
    return `<section><h2>${escaped(tool)}</h2>
<ol>${own.map((one) => figure(one, findings)).join("\n")}</ol>
${list(others)}</section>`;
  });
  const without = report.findings.filter(({ place }) => !tools.includes(place.tool ?? ""));
  const hash = createHash("sha256").update(STYLE).digest("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; img-src 'self' file:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>${escaped(report.target)}: states of views</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escaped(report.target)}</h1>
<p class="quiet">${summary(report)}</p>
${parts.join("\n")}
${list(without)}
</body>
</html>
`;
}

function summary({ findings, views }: CheckReport): string {
  const count = (severity: string): number =>
    findings.filter((one) => one.severity === severity).length;
  return `${views.length} ${views.length === 1 ? "view" : "views"}, ${count("error")} errors, ${count("warning")} warnings, ${count("info")} notes`;
}

function figure({ picture, file }: NamedPicture, findings: readonly Finding[]): string {
  const own = findings.filter(({ place }) => place.run === picture.state);
  const title = picture.title[0]?.toUpperCase() + picture.title.slice(1);
  return `<li><figure><figcaption>${escaped(title)} <span class="quiet">${picture.width} px</span></figcaption>
<a href="${encodeURIComponent(file)}"><img src="${encodeURIComponent(file)}" alt="${escaped(title)}" loading="lazy"></a>
${list(own)}</figure></li>`;
}

function list(findings: readonly Finding[]): string {
  if (findings.length === 0) return "";
  const items = findings.map(
    ({ code, severity, cause, remedy }) =>
      `<li class="${severity}"><b>${escaped(code)}</b> ${escaped(cause)}<br><span class="quiet">→ ${escaped(remedy)}</span></li>`,
  );
  return `<ul>${items.join("\n")}</ul>`;
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
