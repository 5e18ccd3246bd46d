import { viewSource } from "#views";

/** Names of the templates, as `ui.meta.json` has them. */
export type TemplateName =
  | "form"
  | "data-table"
  | "progress"
  | "diff-viewer"
  | "tree-view"
  | "kanban"
  | "chart"
  | "detail"
  | "gallery"
  | "page";

/** The document of a template: its View's script and style, and the config as data. */
export function templatePage(
  name: TemplateName,
  config: { title?: string; lang?: string } = {},
): string {
  return htmlOf(viewSource(name), config, name);
}

/** A whole document: program, styles, and the config as data. */
export function htmlOf(
  { script, style }: { script: string; style: string },
  config: { title?: string; lang?: string },
  name: string,
): string {
  const { title = name, lang = "en" } = config;
  const own = config.lang === undefined ? "" : " data-lang";
  return `<!doctype html>
<html lang="${escapeHtml(lang)}"${own}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main></main>
<script type="application/json" id="vitrine-config">${toInlineJson(config)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON that no character of ends a script element, or opens a comment in it. */
function toInlineJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
