#!/usr/bin/env node
// The program. What it does is in `operate/command-line.ts`; here are the process and its signals.

import { scrub } from "./audit/index.ts";
import { runCommand } from "./operate/command-line.ts";
import type { Service } from "./operate/service.ts";

const following = new AbortController();
let service: Service | undefined;
let isStopping = false;

function stop(): void {
  following.abort();
  if (!service) return;
  // Who asks twice does not want to wait.
  if (isStopping) process.exit(130);
  isStopping = true;
  service.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
}

// A bug: its story is told, without what may be secret in it.
process.on("uncaughtException", (error) => {
  process.stderr.write(`${scrub(`${error.stack ?? error}`)}\n`);
  process.exit(1);
});
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
process.on("SIGHUP", () => void service?.reload());

const code = await runCommand(process.argv.slice(2), {
  environment: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  signal: following.signal,
  onStart: (started) => {
    service = started;
    if (following.signal.aborted) stop();
  },
});
if (code !== undefined) process.exitCode = code;
