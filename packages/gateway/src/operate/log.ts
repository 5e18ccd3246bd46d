// What operators read while it runs. Names and codes, never the body of a message; whatever gets into a
// line all the same is searched for secrets, and for what a terminal would obey, before it is written.

import { printableJson } from "@vitrine/protocol/printable";
import { type DestinationStream, type Logger, pino } from "pino";
import type { Exchange } from "../pipeline/exchange.ts";
import type { Witness } from "../pipeline/pipeline.ts";
import type { Scrubber } from "./scrubber.ts";

export type Log = Logger;

const LONGEST = 64;

/** Opens the log; lines of JSON on standard output unless told. */
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

/** Only inside the strings, so that a line stays what it is: JSON. */
function scrubLine(line: string, scrubber: Scrubber): string {
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    if (quoted.length < 16) return quoted;
    const text = JSON.parse(quoted) as string;
    const clean = scrubber(text);
    return clean === text ? quoted : JSON.stringify(clean);
  });
}

/** Says which requests were refused and which servers failed. */
export function logWitness(log: Log): Witness {
  return {
    admit: () => undefined,
    refused: (exchange, link, { code, data }) => {
      const facts = { ...about(exchange), link, code };
      if (link === "internal") log.error({ ...facts, cause: data?.cause }, "request failed");
      else log.info(facts, "request refused");
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
  const { party, tenant, user, ticket } = caller;
  const asked = tool?.name ?? (frame?.method === "tools/call" ? frame.params?.name : undefined);
  return {
    server: server.id,
    method: frame?.method?.slice(0, LONGEST),
    ...(typeof asked === "string" && { tool: asked.slice(0, LONGEST) }),
    party,
    tenant,
    user,
    ...(ticket && { view: ticket.jti }),
    carrier,
  };
}
