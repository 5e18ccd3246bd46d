import { build } from "esbuild";

const bundles = new Map<string, Promise<string>>();

/** The document of a View with a real SDK: ours by default, or the official one. The script can use `app`. */
export async function sdkView(
  script: string,
  { sdk = "@vitrine/view", body = "" }: { sdk?: string; body?: string } = {},
): Promise<string> {
  const bundle =
    bundles.get(sdk) ??
    build({
      stdin: { contents: `export { App } from "${sdk}";`, resolveDir: import.meta.dirname },
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      globalName: "sdk",
      conditions: ["@vitrine/source", "module", "browser"],
      define: { "process.env.NODE_ENV": '"production"' },
    }).then(({ outputFiles: [file] }) => file?.text ?? "");
  bundles.set(sdk, bundle);
  // A closing tag inside the program would end it.
  const program = (await bundle).replaceAll("</script", "<\\/script");
  return `<!doctype html><html><head><meta charset="utf-8"><style>body{margin:8px;font:14px system-ui}</style></head>
<body>${body}<script>${program}</script><script type="module">
const app = window.app = new sdk.App({ name: "Test view", version: "1.0.0" }, { availableDisplayModes: ["inline", "fullscreen", "pip"] });
const show = window.show = (name, value) => { document.body.dataset[name] = JSON.stringify(value); };
app.ontoolinput = ({ arguments: args }) => show("input", args);
app.ontoolresult = ({ content }) => show("result", content);
app.ontoolcancelled = ({ reason }) => show("cancelled", reason ?? null);
app.onhostcontextchanged = () => show("context", app.getHostContext());
${script}
await app.connect();
show("context", app.getHostContext());
</script></body></html>`;
}
