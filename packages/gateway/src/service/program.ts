// Runs a command as a process with signal handling, for `vitrine-gateway` and `vitrine gateway`.

import { printableLines } from "@vitrine/protocol/printable";
import { scrub } from "../audit/index.ts";
import { type CommandContext, runCommand } from "./command-line.ts";
import { closeInherited, makeUndumpable } from "./process-privacy.ts";
import type { Service } from "./service.ts";

/** Parts of the context that a caller may replace. */
export type ProgramOptions = Partial<Omit<CommandContext, "signal" | "onStart">>;

/**
 * Runs a command. Resolves to its exit code, or to undefined once the gateway runs. From then on the gateway
 * owns the process, which ends when a signal has stopped it.
 */
export async function runProgram(
  argv: readonly string[],
  options: ProgramOptions = {},
): Promise<number | undefined> {
  const following = new AbortController();
  let service: Service | undefined;
  let isStopping = false;

  const close = (started: Service): void => {
    started.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const stop = (): void => {
    // A second signal means that the operator doesn't want to wait.
    if (isStopping) process.exit(130);
    isStopping = true;
    following.abort();
    if (service) close(service);
  };

  // A bug: print the stack without secrets.
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${printableLines(scrub(`${error.stack ?? error}`))}\n`);
    process.exit(1);
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  process.on("SIGHUP", () => void service?.reload());

  const code = await runCommand(argv, {
    environment: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    seal: () => {
      closeInherited();
      return makeUndumpable();
    },
    ...options,
    signal: following.signal,
    onStart: (started) => {
      service = started;
      if (isStopping) close(started);
    },
  });
  // Parts of a start that was stopped may still hold the process.
  if (isStopping && !service) process.exit(code ?? 0);
  return code;
}
