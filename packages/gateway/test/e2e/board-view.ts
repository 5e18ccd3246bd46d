import type { App } from "@vitrine/view";
import { build } from "esbuild";

declare global {
  interface Window {
    /** In the View's document alone. */
    app: App;
    /** Lists of its server that it was told have changed. */
    listsHeard: string[];
  }
}

/** The View of the board: it says what it hears, and does what a test tells it to. */
export async function boardView(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { App } from "@vitrine/view";`, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    globalName: "sdk",
    conditions: ["@vitrine/source", "module", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // A closing tag inside the program would end it.
  const program = outputFiles[0]?.text.replaceAll("</script", "<\\/script");
  return `<!doctype html><html><head><meta charset="utf-8"><title>Board</title></head><body>
<p>Notes</p><script>${program}</script><script type="module">
window.listsHeard = [];
const app = window.app = new sdk.App({ name: "Board", version: "1.0.0" });
for (const list of ["tools", "resources", "prompts"]) {
  app.peer.on("notifications/" + list + "/list_changed", () => { window.listsHeard.push(list); });
}
app.ontoolresult = ({ content }) => { document.body.dataset.result = content[0].text; };
await app.connect();
document.body.dataset.connected = "yes";
</script></body></html>`;
}
