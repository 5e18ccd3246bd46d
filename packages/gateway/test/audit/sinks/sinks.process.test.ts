// The sinks of the audit log (O12), each with a receiver of its protocol.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createMemoryEngine } from "@vitrine/gateway/engine";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAudit, type ReadRecord } from "../../../src/audit/index.ts";
import { recordsOf } from "../../../src/audit/reading.ts";
import { createOcsfSink, eventOf } from "../../../src/audit/sinks/ocsf-sink.ts";
import { createOtlpSink } from "../../../src/audit/sinks/otlp-sink.ts";
import { createS3Sink } from "../../../src/audit/sinks/s3-sink.ts";
import { signRequest } from "../../../src/audit/sinks/signature-v4.ts";
import { SinkRunner } from "../../../src/audit/sinks/sink-runner.ts";
import { createSyslogSink, messagesOf } from "../../../src/audit/sinks/syslog-sink.ts";
import { freePort } from "../../service/stage.ts";
import { type SinkTrial, testSink } from "./sink-contract.ts";

const SYSLOG = "/usr/sbin/rsyslogd";
const hasSyslog = existsSync(SYSLOG);
const S3_KEY = { accessKey: "vitrine-tests", secretKey: "a-secret-for-tests", region: "us-east-1" };

/** A server that keeps the bodies of requests. */
async function collect(): Promise<
  { bodies: Buffer[]; url: string } & Omit<SinkTrial, "createSink" | "received">
> {
  const port = await freePort();
  const bodies: Buffer[] = [];
  let server: Server | undefined;
  const start = async (): Promise<void> => {
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      bodies.push(Buffer.concat(parts));
      response.end("{}");
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await start();
  const stop = async (): Promise<void> => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  };
  return { bodies, url: `http://127.0.0.1:${port}/take`, start, stop };
}

testSink("otlp", async () => {
  const { url, bodies, start, stop } = await collect();
  return {
    ...{ start, stop },
    createSink: () => createOtlpSink({ url }),
    received: async () =>
      bodies.flatMap((body) =>
        JSON.parse(`${body}`).resourceLogs.flatMap((each: { scopeLogs: ScopeLogs[] }) =>
          each.scopeLogs.flatMap(({ logRecords }) =>
            logRecords.map(({ body: text }) => JSON.parse(text.stringValue).tool),
          ),
        ),
      ),
  };
});
interface ScopeLogs {
  logRecords: { body: { stringValue: string } }[];
}

testSink("ocsf", async () => {
  const { url, bodies, start, stop } = await collect();
  return {
    ...{ start, stop },
    createSink: () => createOcsfSink({ url }),
    received: async () =>
      bodies.flatMap((body) =>
        JSON.parse(`${body}`).map(({ api }: { api: { operation: string } }) => api.operation),
      ),
  };
});

testSink("s3", async () => {
  const { url, bodies, start, stop } = await collect();
  const bucket = { url, bucket: "audit", retentionDays: 1, ...S3_KEY };
  return {
    ...{ start, stop },
    createSink: () => createS3Sink(bucket, 0),
    received: async () => bodies.flatMap((body) => toolsOf(gunzipSync(body))),
  };
});

/** The tools in the steps of an object. */
function toolsOf(text: Buffer): string[] {
  const steps = text.toString("latin1").split(/(?<=^end [0-9a-f]{64}\n)/m);
  return steps.flatMap((step) =>
    [...recordsOf(Buffer.from(step, "latin1"), 1)].map(({ tool }) => `${tool}`),
  );
}

if (hasSyslog) testSink("syslog, with a real rsyslogd", openSyslog);

async function openSyslog(folder: string): Promise<SinkTrial> {
  const port = await freePort();
  const [file, config] = [join(folder, "received"), join(folder, "rsyslog.conf")];
  const lines = [
    `global(workDirectory="${folder}")`,
    'module(load="imtcp")',
    `input(type="imtcp" port="${port}" address="127.0.0.1")`,
    'template(name="raw" type="string" string="%msg%\\n")',
    `action(type="omfile" file="${file}" template="raw" asyncWriting="off" flushOnTXEnd="on")`,
  ];
  await writeFile(config, lines.join("\n"));
  let child: ReturnType<typeof spawn> | undefined;
  const start = async (): Promise<void> => {
    child = spawn(SYSLOG, ["-n", "-f", config, "-i", join(folder, "pid")], { stdio: "ignore" });
    await vi.waitFor(() => tryConnect(port), { timeout: 10_000, interval: 50 });
  };
  await start();
  return {
    start,
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    createSink: () => createSyslogSink({ url: `tcp://127.0.0.1:${port}` }),
    received: async () => {
      const text = existsSync(file) ? await readFile(file, "utf8") : "";
      return text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line).tool);
    },
  };
}

async function tryConnect(port: number): Promise<void> {
  const { connect } = await import("node:net");
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect").finally(() => socket.destroy());
}

const RECORD: ReadRecord = {
  sequence: 7,
  time: "2026-11-17T12:00:00.000Z",
  event: "request",
  actor: { tenant: "acme", user: "alice\n<14>1 - - - forged" },
  server: "weather",
  method: "tools/call",
  tool: 'x"}],"class_uid":1',
  decision: { verdict: "deny", code: "forbidden" },
  trace: "0af7651916cd43dd8448eb211c80319c",
  node: "n1",
  epoch: 2,
  place: 9,
};

describe("hostile names in records", () => {
  test("don't start another syslog message or field", () => {
    const bytes = messagesOf([{ place: 1, bytes: Buffer.alloc(0), records: [RECORD, RECORD] }]);
    const text = bytes.toString("latin1");
    const length = Number(/^\d+/.exec(text)?.[0]);
    const first = text.slice(`${length} `.length, `${length} `.length + length);
    expect(first).toMatch(
      /^<109>1 2026-11-17T12:00:00\.000Z [\x21-\x7e]+ vitrine-gateway n1 request - \{"sequence":7,.*\}$/,
    );
    expect(first).toMatch(/^[\x20-\x7e]+$/);
    expect(text.slice(`${length} `.length + length)).toBe(text.slice(0, text.length / 2));
  });

  test("stay values of an OCSF event, which has every required field", () => {
    const event = JSON.parse(JSON.stringify(eventOf(RECORD)));
    // Required by the class API Activity of OCSF 1.5.
    expect(event).toMatchObject({
      activity_id: 99,
      category_uid: 6,
      class_uid: 6003,
      type_uid: 600_399,
      time: Date.parse(RECORD.time),
      severity_id: 2,
      metadata: { version: "1.5.0", product: { vendor_name: "Vitrine" } },
      actor: { user: { uid: "acme/alice\n<14>1 - - - forged" } },
      api: { operation: RECORD.tool, service: { name: "weather" } },
      src_endpoint: { name: "unknown" },
      status_id: 2,
    });
  });
});

test("one of two processes sends, and the other continues when it ends", async () => {
  const { url, bodies, stop } = await collect();
  const engine = createMemoryEngine();
  const audit = await createAudit({ engine, node: "n1" });
  const run = (): SinkRunner =>
    new SinkRunner({
      ...{ engine, name: "siem", sink: createOcsfSink({ url }), interval: 5 },
      ...{ onProblem: () => {}, onNotice: () => {} },
    });
  const first = run();
  await vi.waitFor(() => expect(first.state.isSending).toBe(true));
  const second = run();
  audit.record({ event: "operator", detail: { n: 1 } });
  await vi.waitFor(() => expect(first.state.records).toBe(1));
  await first.close();
  audit.record({ event: "operator", detail: { n: 2 } });
  await vi.waitFor(() => expect(second.state.records).toBe(1), 10_000);
  expect(bodies).toHaveLength(2);
  await second.close();
  await audit.close();
  await stop();
});

const minio = `${process.env.PATH}`
  .split(delimiter)
  .map((folder) => join(folder, "minio"))
  .find((path) => existsSync(path));

/** Sends a signed request without a body. */
function ask(method: string, url: URL, headers: Record<string, string> = {}): Promise<Response> {
  const bodyHash = createHash("sha256").update("").digest("hex");
  return fetch(url, { method, headers: signRequest({ method, url, headers, bodyHash }, S3_KEY) });
}

test.skipIf(!minio)(
  "locks objects of a real MinIO for all who have the credentials",
  {
    timeout: 60_000,
  },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "vitrine-minio-"));
    const port = await freePort();
    const env = { MINIO_ROOT_USER: S3_KEY.accessKey, MINIO_ROOT_PASSWORD: S3_KEY.secretKey };
    const args = ["server", folder, "--address", `127.0.0.1:${port}`, "--quiet"];
    const child = spawn(`${minio}`, args, { env: { ...env, HOME: folder }, stdio: "ignore" });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    });
    const url = `http://127.0.0.1:${port}`;
    const bucket = new URL("/evidence", url);
    const lock = { "x-amz-bucket-object-lock-enabled": "true" };
    await vi.waitFor(async () => expect((await ask("PUT", bucket, lock)).status).toBe(200), {
      timeout: 30_000,
      interval: 200,
    });
    const engine = createMemoryEngine();
    const audit = await createAudit({ engine, node: "n1" });
    audit.record({ event: "operator", detail: { action: "start" } });
    await audit.close();
    const sink = createS3Sink({
      url,
      bucket: "evidence",
      prefix: "eu/1",
      retentionDays: 7,
      ...S3_KEY,
    });
    const problems: unknown[] = [];
    const onProblem = (error: Error | undefined): void => void problems.push(error);
    const runner = new SinkRunner({ engine, name: "s3", sink, onProblem, onNotice: () => {} });
    await vi.waitFor(() => expect(runner.state.isSending).toBe(true));
    await runner.close();
    expect(problems).toEqual([]);
    const list = await (await ask("GET", new URL("/evidence?versions=", url))).text();
    const key = /<Key>(eu\/1\/[^<]+)<\/Key>/.exec(list)?.[1];
    const version = /<VersionId>([^<]+)<\/VersionId>/.exec(list)?.[1];
    const object = new URL(`/evidence/${key}`, url);
    const got = await ask("GET", object);
    expect(got.headers.get("x-amz-object-lock-mode")).toBe("COMPLIANCE");
    const until = Date.parse(`${got.headers.get("x-amz-object-lock-retain-until-date")}`);
    expect(until).toBeGreaterThan(Date.now() + 6 * 86_400_000);
    expect(gunzipSync(Buffer.from(await got.arrayBuffer())).toString()).toContain(
      '"action":"start"',
    );
    object.searchParams.set("versionId", `${version}`);
    const deleted = await ask("DELETE", object);
    expect(deleted.status).toBe(400);
    expect(await deleted.text()).toMatch(/WORM protected|ObjectLocked/);
    expect((await ask("HEAD", object)).status).toBe(200);
  },
);

test("signs requests as in the examples of AWS", () => {
  const key = {
    accessKey: "AKIAIOSFODNN7EXAMPLE",
    secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const { authorization } = signRequest(
    {
      method: "PUT",
      url: new URL("https://examplebucket.s3.amazonaws.com/test%24file.text"),
      headers: {
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
      },
      bodyHash: createHash("sha256").update("Welcome to Amazon S3.").digest("hex"),
    },
    key,
    new Date("2013-05-24T00:00:00Z"),
  );
  expect(authorization).toContain(
    "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  );
});

test("reports a syslog server that closes the connection at once", async () => {
  const server = createTcpServer((socket) => socket.destroy());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const sink = createSyslogSink({ url: `tcp://127.0.0.1:${port}` });
  const batch = [{ place: 1, bytes: Buffer.alloc(0), records: [RECORD] }];
  await expect(sink.send(batch, AbortSignal.timeout(5_000))).rejects.toThrow(/closed|reached/);
  server.close();
});
