// Runs `npm run dev`: Vite builds the file of each view at each change, and `vitrine dev` shows them.
// Options are passed to `vitrine dev`: `npm run dev -- --no-open`.

import { spawn } from "node:child_process";
import { watchViews } from "@vitrine/server/vite";

process.env.NODE_ENV = "development";
// After all builds: Vite reports errors in a view, and keeps watching.
await watchViews({ configLoader: "native" });

const options = process.argv.slice(2).join(" ");
const line = `vitrine dev --watch server --views dist ${options} server/main.ts`;
const host = spawn(line, { shell: true, stdio: "inherit" });
host.on("exit", (code) => process.exit(code ?? 0));

// Ctrl-C reaches `vitrine dev` too, which has to shut down.
process.on("SIGINT", () => {});
