import type { App } from "@vitrine/view";
import { build } from "esbuild";

declare global {
  interface Window {
    /** In the View's document alone. */
    app: App;
    /** Lists of its server whose changes it received. */
    changedLists: string[];
  }
}

/** The View of the board: it records what it receives and does what a test requests. */
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
window.changedLists = [];
const app = window.app = new sdk.App({ name: "Board", version: "1.0.0" });
for (const list of ["tools", "resources", "prompts"]) {
  app.peer.on("notifications/" + list + "/list_changed", () => { window.changedLists.push(list); });
}
app.ontoolresult = ({ content }) => { document.body.dataset.result = content[0].text; };
await app.connect();
document.body.dataset.connected = "yes";
</script></body></html>`;
}
