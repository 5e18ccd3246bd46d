// The operators' log. It contains names and codes, never message bodies. Every line is also scrubbed of
// secrets and terminal control characters before it is written.

import { printableJson } from "@vitrine/protocol/printable";
import { type DestinationStream, type Logger, pino } from "pino";
import type { Exchange } from "../policy/exchange.ts";
import type { Recorder } from "../policy/pipeline.ts";
import { traceIdOf } from "../policy/trace-id.ts";
import { LineSampler } from "./line-sampler.ts";
import type { Scrubber } from "./scrubber.ts";

export type Log = Logger;

const LONGEST = 64;

/** Opens the log. By default it writes lines of JSON to standard output. */
export function createLog(options: {
  level: "silent" | "error" | "warn" | "info" | "debug";
  scrubber: () => Scrubber;
  destination?: DestinationStream;
}): Log {
  const { level, scrubber, destination } = options;
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => printableJson(scrubLine(line, scrubber())) },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}

/** Scrubs only inside strings, so that the line stays valid JSON. */
function scrubLine(line: string, scrubber: Scrubber): string {
  return line.replace(/"trace":"[0-9a-f]{32}"|"(?:[^"\\]|\\.)*"/g, (quoted) => {
    // A trace id looks like a secret, but operators search for it.
    if (quoted.length < 16 || quoted.startsWith('"trace":')) return quoted;
    const text = JSON.parse(quoted) as string;
    const clean = scrubber(text);
    return clean === text ? quoted : JSON.stringify(clean);
  });
}

/** Logs refused requests and failing servers. */
export function logRecorder(log: Log): Recorder {
  // A caller that is refused can repeat itself for free, so only the first lines of each reason are written.
  const sampler = new LineSampler({
    onMore: (kind, more) => {
      const [link, code] = kind.split(" ");
      log.info({ link, code, more }, "requests refused that aren't logged one by one");
    },
  });
  return {
    admit: () => undefined,
    refused: (exchange, link, { code, data, message }) => {
      if (!sampler.take(`${link} ${code}`)) return;
      const facts = { ...about(exchange), link, code };
      if (link === "internal") log.error({ ...facts, cause: data?.cause }, "request failed");
      else log.info({ ...facts, reason: message }, "request refused");
    },
    answered: (exchange, { kind, code, milliseconds }) => {
      const level = kind === "refused" ? "warn" : "debug";
      if (!log.isLevelEnabled(level)) return;
      const facts = { ...about(exchange), kind, code, ms: Math.round(milliseconds) };
      log[level](facts, kind === "refused" ? "server failed" : "request answered");
    },
  };
}

function about({ caller, server, frame, tool, carrier }: Exchange): Record<string, unknown> {
  const { party, tenant, user, ticket, address } = caller;
  const trace = traceIdOf(frame?.params?._meta);
  const toolName = tool?.name ?? (frame?.method === "tools/call" ? frame.params?.name : undefined);
  return {
    server: server.id,
    method: frame?.method?.slice(0, LONGEST),
    ...(typeof toolName === "string" && { tool: toolName.slice(0, LONGEST) }),
    party,
    tenant,
    user,
    ...(ticket && { view: ticket.jti }),
    carrier,
    ...(address !== undefined && { address }),
    ...(trace !== undefined && { trace }),
  };
}
