// The suite's server as a command, for hosts that start their servers: `node probe-stdio.js
// <address>`. It forwards lines to the server in the suite's own process, where everything is
// recorded.

import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

/** The command that reaches a probe server over stdio. */
export function probeCommand(address: string): string[] {
  const file = fileURLToPath(import.meta.url);
  const flags = file.endsWith(".ts") ? ["--experimental-strip-types", "--no-warnings"] : [];
  return [process.execPath, ...flags, file, address];
}

/** Forwards messages until the input ends. */
export async function passOn(address: string, input: Readable, output: Writable): Promise<void> {
  const under = new Set<Promise<void>>();
  for await (const line of createInterface({ input })) {
    // In parallel: a slow call must not delay its own cancellation.
    const passing = pass(address, line, output).catch(() => {});
    under.add(passing);
    void passing.finally(() => under.delete(passing));
  }
  await Promise.all(under);
}

async function pass(address: string, line: string, output: Writable): Promise<void> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: line,
  });
  const isStream = response.headers.get("content-type")?.includes("event-stream");
  let text = "";
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(
    new TextDecoderStream(),
  )) {
    text += chunk;
    if (!isStream) continue;
    const events = text.split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) output.write(`${event.replace(/^event: message\ndata: /, "")}\n`);
  }
  if (text) output.write(`${text}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await passOn(process.argv[2] ?? "", process.stdin, process.stdout);
}
