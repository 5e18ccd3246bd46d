// Builds the view at each change, and shows it in a host on this machine.

import { spawn } from "node:child_process";
import { watchViews } from "@vitrine/server/vite";

process.env.NODE_ENV = "development";
await watchViews({ configLoader: "native" });
const line = "vitrine dev --watch server --views dist server/main.ts";
const host = spawn(line, { shell: true, stdio: "inherit" });
host.on("exit", (code) => process.exit(code ?? 0));
