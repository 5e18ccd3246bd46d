import { expect, test } from "vitest";
import type { GatewayConfig, SinkConfig } from "../../src/config/config.ts";
import { checkSinks } from "../../src/config/sink-rules.ts";

function problems(sinks: SinkConfig[], driver = "sqlite"): string[] {
  const found: string[] = [];
  const config = { audit: { sinks }, engine: { driver } } as unknown as GatewayConfig;
  checkSinks(config, (at, message) => void found.push(`${at.join(".")} ${message}`));
  return found;
}

test("accepts a sink of each kind", () => {
  const key = { accessKey: "a", secretKey: "b" };
  expect(
    problems([
      { kind: "syslog", url: "tls://siem.example:6514", caFile: "/ca.pem" },
      { kind: "syslog", name: "local", url: "tcp://127.0.0.1:514" },
      { kind: "otlp", url: "http://localhost:4318/v1/logs", headers: { "x-key": "1" } },
      { kind: "ocsf", url: "https://siem.example/ocsf" },
      { kind: "s3", url: "https://s3.example", bucket: "b1", retentionDays: 1, ...key },
    ]),
  ).toEqual([]);
});

test("rejects records that would leave the machine unencrypted, and settings of another kind", () => {
  expect(
    problems(
      [
        { kind: "syslog", url: "tcp://siem.example:514" },
        { kind: "syslog", url: "tls://siem.example:514", bucket: "x" },
        { kind: "otlp", url: "http://collector.example/v1/logs" },
        { kind: "ocsf", url: "https://user:password@siem.example/" },
        { kind: "s3", url: "https://s3.example", bucket: "b1" },
      ],
      "memory",
    ),
  ).toEqual([
    'audit.sinks.0.url "tcp://siem.example:514" isn\'t encrypted. Use tls://, or tcp:// to this machine.',
    'audit.sinks.1 Another sink is called "syslog" too. Set a name for each of them.',
    "audit.sinks.1.bucket It has no effect for the kind syslog. Remove it.",
    'audit.sinks.2.url "http://collector.example/v1/logs" isn\'t encrypted. Use https.',
    "audit.sinks.3.url Remove the credential from the address.",
    "audit.sinks.4 accessKey is missing. Set it.",
    "audit.sinks.4 secretKey is missing. Set it.",
    "audit.sinks.4 retentionDays is missing. Set it.",
    "audit.sinks The driver memory doesn't keep its position over a restart. Set engine.driver to sqlite or nats.",
  ]);
});
