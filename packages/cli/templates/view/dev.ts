// What `npm run dev` does: Vite makes the file of each View at each change, and `vitrine dev` shows them.
// Options go on to `vitrine dev`: `npm run dev -- --open`.

import { spawn } from "node:child_process";
import { watchViews } from "@vitrine/server/vite";

process.env.NODE_ENV = "development";
// When all are built: of what is wrong with one Vite tells, and goes on watching.
await watchViews({ configLoader: "native" });

const options = process.argv.slice(2).join(" ");
const line = `vitrine dev --watch server --views dist ${options} server/main.ts`;
const host = spawn(line, { shell: true, stdio: "inherit" });
host.on("exit", (code) => process.exit(code ?? 0));

// Ctrl-C reaches `vitrine dev` too, and it has things to close.
process.on("SIGINT", () => {});
