// What `npm run dev` does: Vite makes the View's one file at each change, and `vitrine dev` shows it.
// Options go on to `vitrine dev`: `npm run dev -- --open`.

import { spawn } from "node:child_process";
import { build } from "vite";

process.env.NODE_ENV = "development";
const watcher = await build({
  mode: "development",
  logLevel: "error",
  configLoader: "native",
  // An editor may empty a file before it writes it.
  build: { watch: { buildDelay: 10 } },
});
if (!("on" in watcher)) throw new Error("Vite built once and does not watch.");

let isShown = false;
watcher.on("event", ({ code }) => {
  // After the first build that went well: of any other Vite says what is wrong, and goes on watching.
  if (code !== "BUNDLE_END" || isShown) return;
  isShown = true;
  const options = process.argv.slice(2).join(" ");
  const line = `vitrine dev --watch server --views dist ${options} server/main.ts`;
  const host = spawn(line, { shell: true, stdio: "inherit" });
  host.on("exit", (code) => process.exit(code ?? 0));
});

// Ctrl-C reaches `vitrine dev` too, and it has things to close.
process.on("SIGINT", () => {});
