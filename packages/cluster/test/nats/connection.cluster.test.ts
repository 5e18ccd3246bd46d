import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type NatsEngineOptions, openNatsEngine } from "@vitrine/cluster";
import type { SharedEngine } from "@vitrine/gateway/engine";
import { bytesOf, codeOf, textOf, until } from "@vitrine/internal/engine-trial";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCreds } from "./creds.ts";
import { greetAs, startDebianServer } from "./old-server.ts";
import { freshPrefix } from "./stage.ts";

const SECRET = "CANARY-password-of-nats";

async function refusalOf(options: NatsEngineOptions): Promise<Error & { code?: string }> {
  const opened = await openNatsEngine(options).catch((error: Error & { code?: string }) => error);
  if (opened instanceof Error) return opened;
  await opened.close();
  throw new Error("It was opened.");
}

/** Uses all operations of an engine. */
async function useAll({ kv, log, blob, bus }: SharedEngine): Promise<void> {
  const grants = kv("grants", { ttl: 60_000 });
  const received: string[] = [];
  grants.watch(({ key }) => received.push(key));
  bus.subscribe("events", (_, subject) => received.push(subject));
  bus.serve("echo", async (body) => body);
  await grants.put("ann", bytesOf("yes"));
  await log.append("audit", [bytesOf("1"), bytesOf("2")]);
  expect(await blob.has(await blob.put(bytesOf("page")))).toBe(true);
  expect(textOf(await bus.request("echo", bytesOf("hi"), { deadline: 5_000 }))).toBe("hi");
  for await (const { record } of log.read("audit")) received.push(textOf(record) ?? "");
  for await (const key of grants.keys()) received.push(`key ${key}`);
  bus.publish("events", bytesOf(""));
  await until(() => ["ann", "events"].every((word) => received.includes(word)));
  expect(received).toContain("2");
  expect(received).toContain("key ann");
}

describe("supported servers", { timeout: 90_000 }, () => {
  test("rejects a server below 2.11, because it ignores the TTL of a key", async () => {
    const old = (await startDebianServer()) ?? (await greetAs("2.9.10"));
    try {
      const { code, message } = await refusalOf({ servers: [old.url] });
      expect(code).toBe("unavailable");
      expect(message).toContain(`nats-server ${old.version}`);
      expect(message).toContain("2.11.0 or newer");
    } finally {
      await old.stop();
    }
  });

  test.for(["2.10.29", "1.4.1"])("rejects version %j", async (version) => {
    const old = await greetAs(version);
    try {
      expect((await refusalOf({ servers: [old.url] })).message).toContain("2.11.0 or newer");
    } finally {
      await old.stop();
    }
  });

  test("rejects an invalid prefix and an empty list of servers", async () => {
    const servers = ["nats://127.0.0.1:9"];
    for (const prefix of ["", "a.b", "A", "*", "a b", "-a", "a".repeat(33)]) {
      expect((await refusalOf({ servers, prefix })).code).toBe("invalid");
    }
    expect((await refusalOf({ servers: [] })).code).toBe("invalid");
  });
});

describe("authentication", { timeout: 60_000 }, () => {
  let folder: string;
  const open: NatsServers[] = [];
  const start = async (config: string): Promise<string[]> => {
    const servers = await startNats({ config });
    open.push(servers);
    return servers.urls;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-nats-keys-"));
  });
  afterAll(async () => {
    for (const servers of open) await servers.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("accepts only the right user and password, and never prints the password", async () => {
    const servers = await start(`authorization { user: gateway, password: "${SECRET}" }`);
    const credentials = { user: "gateway", password: SECRET };
    const engine = await openNatsEngine({ servers, credentials });
    await engine.kv("a").put("b", bytesOf("c"));
    await engine.close();
    expect((await refusalOf({ servers })).code).toBe("unavailable");
    const wrong = { user: "gateway", password: `${SECRET}-not` };
    const { message, code } = await refusalOf({ servers, credentials: wrong });
    expect([code, message.includes(SECRET)]).toEqual(["unavailable", false]);
    const address = servers[0]?.replace("//", `//gateway:${SECRET}-not@`) ?? "";
    expect((await refusalOf({ servers: [address] })).message).not.toContain(SECRET);
  });

  test("accepts a token", async () => {
    const servers = await start(`authorization { token: "${SECRET}" }`);
    const engine = await openNatsEngine({ servers, credentials: { token: SECRET } });
    await engine.close();
    expect((await refusalOf({ servers })).code).toBe("unavailable");
  });

  test("accepts a creds file, but not one of another account", async () => {
    const { config, creds } = makeCreds();
    const [right, wrong] = [join(folder, "right.creds"), join(folder, "wrong.creds")];
    await writeFile(right, creds);
    await writeFile(wrong, makeCreds().creds);
    const servers = await start(config);
    const engine = await openNatsEngine({ servers, credentials: { credsFile: right } });
    await engine.log.append("audit", [bytesOf("1")]);
    await engine.close();
    const refused = await refusalOf({ servers, credentials: { credsFile: wrong } });
    expect(refused.code).toBe("unavailable");
  });

  test("180: the documented permissions are enough, and none of them deletes a stream", async () => {
    const guide = await readFile(new URL("../../../../docs/cluster.md", import.meta.url), "utf8");
    const [, documented = ""] = /^## Permissions in NATS$.*?^```\n(.*?)^```$/ms.exec(guide) ?? [];
    expect(documented).toContain('"vitrine.>"');
    const config = documented
      .replaceAll('"vitrine.>"', '"gw.>"')
      .replace("$NATS_PASSWORD", `"${SECRET}"`);
    const servers = await start(config);
    const credentials = { user: "gateway", password: SECRET };
    const notices: string[] = [];
    const onNotice = ({ text }: { text: string }): void => void notices.push(text);
    const engine = await openNatsEngine({ servers, credentials, prefix: "gw", onNotice });
    await useAll(engine);
    await engine.close();
    expect(notices).toEqual([]);
    // These credentials can't delete the audit log, copy it, or read other subjects.
    const nc = await connect({ servers, user: "gateway", pass: SECRET });
    const admin = ["STREAM.DELETE", "STREAM.SNAPSHOT", "STREAM.RESTORE", "STREAM.LEADER.STEPDOWN"];
    for (const operation of admin) {
      const asked = nc.request(`$JS.API.${operation}.gw_audit`, "{}", { timeout: 1000 });
      await expect(asked, operation).rejects.toThrow(/[Pp]ermission/);
    }
    for (const subject of [">", "$KV.>", "$JS.>"]) {
      const errors: unknown[] = [];
      nc.subscribe(subject, { callback: (error) => void (error && errors.push(error)) });
      await until(() => errors.length > 0);
    }
    await nc.close();
    // Subjects of another deployment are rejected with a notice, not only with a timeout.
    const other = await openNatsEngine({ servers, credentials, prefix: "other", onNotice });
    other.bus.subscribe("events", () => {});
    await until(() => notices.some((text) => text.includes("other.event.events")));
    await other.close();
  });

  test("names a missing creds file", async () => {
    const credsFile = join(folder, "nobody.creds");
    const servers = ["nats://127.0.0.1:9"];
    const { code, message } = await refusalOf({ servers, credentials: { credsFile } });
    expect(code).toBe("invalid");
    expect(message).toContain(credsFile);
  });

  test("connects over TLS only to a server with a trusted certificate", async () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
    execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", cert], {
      stdio: "ignore",
    });
    const started = await start(`tls { cert_file: "${cert}", key_file: "${key}" }`);
    const servers = started.map((url) => url.replace("127.0.0.1", "localhost"));
    const engine = await openNatsEngine({ servers, tls: { caFile: cert } });
    expect(await engine.blob.put(bytesOf("<p>"))).toMatch(/^[0-9a-f]{64}$/);
    await engine.close();
    expect((await refusalOf({ servers, tls: {} })).code).toBe("unavailable");
  });

  test("asks to enable JetStream for an account without it", async () => {
    const servers = await start("accounts { A { users: [{ user: a, password: b }] } }");
    const credentials = { user: "a", password: "b" };
    const { code, message } = await refusalOf({ servers, credentials });
    expect([code, message.includes("JetStream")]).toEqual(["unavailable", true]);
  });
});

describe("created streams", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 });
  }, 60_000);
  afterAll(() => servers?.stop());

  test("stores everything on disk with three replicas, under the deployment's prefix", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    await engine.kv("passing").put("a", bytesOf("1"));
    await engine.kv("leases", { ttl: 5_000 }).put("a", bytesOf("1"));
    await engine.log.append("audit.eu", [bytesOf("1")]);
    await engine.blob.put(bytesOf("1"));
    await engine.close();
    const nc = await connect({ servers: servers.urls });
    const found: string[] = [];
    for await (const { config } of (await jetstreamManager(nc)).streams.list()) {
      const { name, num_replicas, storage, max_age } = config;
      if (name.includes(prefix)) found.push(`${name} ${num_replicas} ${storage} ${max_age}`);
    }
    await nc.close();
    expect(found.sort()).toEqual([
      `KV_${prefix}_leases 3 file 5000000000`,
      `KV_${prefix}_passing 3 file 0`,
      `LOG_${prefix}_audit=eu 3 file 0`,
      `OBJ_${prefix}_blobs 3 file 0`,
    ]);
  });

  test("two deployments on one cluster are isolated", async () => {
    const [left, right] = await Promise.all(
      [freshPrefix(), freshPrefix()].map((prefix) =>
        openNatsEngine({ servers: servers.urls, prefix }),
      ),
    );
    if (!left || !right) throw new Error("They did not open.");
    try {
      await left.kv("grants").put("ann", bytesOf("yes"));
      expect(await right.kv("grants").get("ann")).toBeUndefined();
      await left.log.append("audit", [bytesOf("1")]);
      expect(await right.log.bounds("audit")).toBeUndefined();
      const hash = await left.blob.put(bytesOf("page"));
      expect(await right.blob.has(hash)).toBe(false);
      left.bus.serve("node", async (body) => body);
      const ask = right.bus.request("node", bytesOf(""), { deadline: 5_000 });
      expect(await codeOf(ask)).toBe("no-responders");
      const received: string[] = [];
      right.bus.subscribe(">", (_, subject) => received.push(subject));
      left.bus.subscribe("end", () => received.push("left"));
      await until(() => {
        left.bus.publish("end", bytesOf(""));
        return received.length > 0;
      });
      expect(new Set(received)).toEqual(new Set(["left"]));
    } finally {
      await Promise.all([left.close(), right.close()]);
    }
  });

  test("a process that leaves out a bucket's TTL lets a later one set it", async () => {
    const prefix = freshPrefix();
    const [first, second] = [
      await openNatsEngine({ servers: servers.urls, prefix }),
      await openNatsEngine({ servers: servers.urls, prefix }),
    ];
    await first.kv("leases").put("a", bytesOf("1"));
    await second.kv("leases", { ttl: 1_000 }).put("b", bytesOf("1"));
    await until(async () => (await first.kv("leases").get("b")) === undefined);
    expect(await codeOf(() => first.kv("leases", { ttl: 9_000 }).get("a"))).toBe("invalid");
    await Promise.all([first.close(), second.close()]);
  });

  test("stores values up to the maximum size even if they don't compress", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    const { maxBytes } = engine.caps;
    const noise = randomBytes(maxBytes);
    await engine.kv("large").put("a", noise);
    expect(Buffer.compare((await engine.kv("large").get("a"))?.value ?? noise, noise)).toBe(0);
    const received: number[] = [];
    engine.kv("large").watch(({ entry }) => received.push(entry?.value.length ?? 0));
    await until(() => received[0] === maxBytes);
    const batch = Array.from({ length: 50_000 }, (_, n) => noise.subarray(n * 18, n * 18 + 18));
    await engine.log.append("audit", batch);
    await engine.log.append("audit", [noise]);
    let bytes = 0;
    for await (const { record } of engine.log.read("audit")) bytes += record.length;
    expect(bytes).toBe(50_000 * 18 + maxBytes);
    engine.bus.serve("echo", async (body) => body);
    const ask = (): Promise<Uint8Array> => engine.bus.request("echo", noise, { deadline: 5_000 });
    await until(async () => (await codeOf(ask())) === "it succeeded");
    expect(Buffer.compare(await ask(), noise)).toBe(0);
    await engine.close();
  });

  test("sweeps blobs that weren't put for long, and stores them again when they are put", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    const { blob } = engine;
    const [kept, swept] = [await blob.put(bytesOf("kept")), await blob.put(bytesOf("swept"))];
    await new Promise((resolve) => setTimeout(resolve, 20));
    const moment = Date.now();
    expect(await blob.put(bytesOf("kept"))).toBe(kept);
    expect(await blob.sweep?.(moment)).toBe(1);
    expect([await blob.has(kept), await blob.has(swept)]).toEqual([true, false]);
    expect(textOf(await blob.get(kept))).toBe("kept");
    expect(await blob.get(swept)).toBeUndefined();
    expect(await blob.sweep?.(moment)).toBe(0);
    await blob.put(bytesOf("swept"));
    expect(textOf(await blob.get(swept))).toBe("swept");
    await engine.close();
  });

  test("keeps a blob that is put during a sweep", async () => {
    const prefix = freshPrefix();
    const [engine, peer] = [
      await openNatsEngine({ servers: servers.urls, prefix }),
      await openNatsEngine({ servers: servers.urls, prefix }),
    ];
    const hash = await engine.blob.put(bytesOf("page"));
    for (let n = 0; n < 10; n++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const moment = Date.now();
      await Promise.all([peer.blob.sweep?.(moment), engine.blob.put(bytesOf("page"))]);
      expect(textOf(await engine.blob.get(hash))).toBe("page");
    }
    await Promise.all([engine.close(), peer.close()]);
  });

  test("a log at its limit rejects appends as full, and keeps its records", async () => {
    const prefix = freshPrefix();
    const maxLogBytes = 64 * 1024;
    const engine = await openNatsEngine({ servers: servers.urls, prefix, maxLogBytes });
    const noise = (): Uint8Array => crypto.getRandomValues(new Uint8Array(20_000));
    const codes: string[] = [];
    for (let n = 0; n < 5; n++) codes.push(await codeOf(engine.log.append("audit", [noise()])));
    expect(codes).toEqual([...Array(3).fill("it succeeded"), "full", "full"]);
    let records = 0;
    for await (const _ of engine.log.read("audit")) records += 1;
    expect(records).toBe(3);
    await engine.close();
  });

  test("stores a compressible batch small, and reads it unchanged", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    const line = JSON.stringify({ event: "request", user: "ann", tool: "forecast" });
    const batch = Array.from({ length: 1_000 }, (_, n) => bytesOf(`${line}${n}`));
    await engine.log.append("audit", batch);
    const read: (string | undefined)[] = [];
    for await (const { record } of engine.log.read("audit")) read.push(textOf(record));
    expect(read).toEqual(batch.map(textOf));
    const bytes = await engine.log.bytes?.("audit");
    await engine.close();
    const nc = await connect({ servers: servers.urls });
    const { state } = await (await jetstreamManager(nc)).streams.info(`LOG_${prefix}_audit`);
    await nc.close();
    expect(state.bytes).toBeLessThan((batch.length * line.length) / 5);
    expect(bytes).toBe(state.bytes);
  });

  test("reports a foreign message in the log's stream as corrupt", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    await engine.log.append("audit", [bytesOf("1")]);
    const nc = await connect({ servers: servers.urls });
    nc.publish(`${prefix}.log.audit`, "not a batch of this engine");
    await nc.flush();
    const read = async (): Promise<number> => {
      let records = 0;
      for await (const _ of engine.log.read("audit")) records += 1;
      return records;
    };
    await until(async () => (await codeOf(read())) === "corrupt");
    await Promise.all([engine.close(), nc.close()]);
  });
});
