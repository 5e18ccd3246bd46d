// Rules for the places that receive audit records.

import type { GatewayConfig, SinkConfig } from "./config.ts";
import { isSafeAddress } from "./safe-address.ts";
import type { Path } from "./schema.ts";

const OF_KIND = {
  syslog: ["caFile"],
  otlp: ["headers"],
  ocsf: ["headers"],
  s3: ["bucket", "prefix", "region", "accessKey", "secretKey", "retentionDays"],
} as const;
const NEEDED_FOR_S3 = ["bucket", "accessKey", "secretKey", "retentionDays"] as const;

/** Checks the sinks. */
export function checkSinks(
  { audit: { sinks }, engine: { driver } }: GatewayConfig,
  report: (at: Path, message: string) => void,
): void {
  const names = new Set<string>();
  for (const [place, sink] of sinks.entries()) {
    const at: Path = ["audit", "sinks", place];
    const name = sink.name ?? sink.kind;
    if (names.has(name)) {
      report(at, `Another sink is called "${name}" too. Set a name for each of them.`);
    }
    names.add(name);
    checkSink(at, sink, report);
  }
  if (sinks.length > 0 && driver === "memory") {
    const message =
      "The driver memory doesn't keep its position over a restart. Set engine.driver to sqlite or nats.";
    report(["audit", "sinks"], message);
  }
}

function checkSink(at: Path, sink: SinkConfig, report: (at: Path, message: string) => void): void {
  const { kind, url } = sink;
  const own: readonly string[] = ["kind", "name", "url", ...OF_KIND[kind]];
  for (const name of Object.keys(sink)) {
    if (own.includes(name)) continue;
    report([...at, name], `It has no effect for the kind ${kind}. Remove it.`);
  }
  for (const name of kind === "s3" ? NEEDED_FOR_S3 : []) {
    if (sink[name] === undefined) report(at, `${name} is missing. Set it.`);
  }
  const problem = addressProblem(kind, url);
  if (problem) report([...at, "url"], problem);
}

function addressProblem(kind: SinkConfig["kind"], text: string): string | undefined {
  if (!URL.canParse(text)) return `"${text}" isn't a URL.`;
  const url = new URL(text);
  if (url.username || url.password) return "Remove the credential from the address.";
  if (kind !== "syslog") {
    const isHttp = /^https?:$/.test(url.protocol);
    return isHttp && isSafeAddress(url) ? undefined : `"${text}" isn't encrypted. Use https.`;
  }
  if (url.protocol === "tls:" && url.hostname !== "") return undefined;
  // Records have the names of users, so they leave this machine encrypted only.
  const isLocal = url.protocol === "tcp:" && isSafeAddress(text.replace(/^tcp:/, "http:"));
  return isLocal ? undefined : `"${text}" isn't encrypted. Use tls://, or tcp:// to this machine.`;
}
