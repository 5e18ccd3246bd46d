import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import type { Engine } from "@vitrine/gateway/engine";
import { type NatsEngineOptions, openNatsEngine } from "@vitrine/gateway/nats";
import { bytesOf, codeOf, textOf, until } from "@vitrine/testing/engine-trial";
import { type NatsServers, startNats } from "@vitrine/testing/nats-server";
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

/** Does with an engine what can be done with one. */
async function useAll({ kv, log, blob, bus }: Engine): Promise<void> {
  const grants = kv("grants", { ttl: 60_000 });
  const heard: string[] = [];
  grants.watch(({ key }) => heard.push(key));
  bus.subscribe("news", (_, subject) => heard.push(subject));
  log.consume("archive", "audit", async (records) => void heard.push(`${records.length}`));
  bus.serve("echo", async (body) => body);
  await grants.put("ann", bytesOf("yes"));
  await log.append("audit", [bytesOf("1"), bytesOf("2")]);
  expect(await blob.has(await blob.put(bytesOf("page")))).toBe(true);
  expect(textOf(await bus.request("echo", bytesOf("hi"), { deadline: 5_000 }))).toBe("hi");
  for await (const { record } of log.read("audit")) heard.push(textOf(record) ?? "");
  for await (const key of grants.keys()) heard.push(`key ${key}`);
  bus.publish("news", bytesOf(""));
  await until(() => ["ann", "news"].every((word) => heard.includes(word)));
  await until(() => heard.filter((word) => word === "2").length === 2);
  expect(heard).toContain("key ann");
}

describe("which servers will do", { timeout: 90_000 }, () => {
  test("a server below 2.11 is refused, because it forgets the time to live of a key", async () => {
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

  test.for(["2.10.29", "1.4.1"])("version %j is refused", async (version) => {
    const old = await greetAs(version);
    try {
      expect((await refusalOf({ servers: [old.url] })).message).toContain("2.11.0 or newer");
    } finally {
      await old.stop();
    }
  });

  test("a prefix that no subject can begin with is refused, and so is no server at all", async () => {
    const servers = ["nats://127.0.0.1:9"];
    for (const prefix of ["", "a.b", "A", "*", "a b", "-a", "a".repeat(33)]) {
      expect((await refusalOf({ servers, prefix })).code).toBe("invalid");
    }
    expect((await refusalOf({ servers: [] })).code).toBe("invalid");
  });
});

describe("who may connect", { timeout: 60_000 }, () => {
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

  test("user and password let in, others do not, and the password is in no message", async () => {
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

  test("so does a token", async () => {
    const servers = await start(`authorization { token: "${SECRET}" }`);
    const engine = await openNatsEngine({ servers, credentials: { token: SECRET } });
    await engine.close();
    expect((await refusalOf({ servers })).code).toBe("unavailable");
  });

  test("so does a creds file, and that of another account does not", async () => {
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
    const [, listed = ""] =
      /Permissions in NATS\*\*: publish (.*?); *\n? *subscribe/s.exec(guide) ?? [];
    const publish = [...listed.matchAll(/`([^`]+)`/g)].map(([, subject = ""]) =>
      subject.replace(/^vitrine\./, "gw."),
    );
    expect(publish).toContain("gw.>");
    const permissions = JSON.stringify({ publish, subscribe: ["gw.>", "_INBOX.>"] });
    const user = `{ user: gateway, password: "${SECRET}", permissions: ${permissions} }`;
    const servers = await start(`authorization { users: [${user}] }`);
    const credentials = { user: "gateway", password: SECRET };
    const notices: string[] = [];
    const onNotice = ({ text }: { text: string }): void => void notices.push(text);
    const engine = await openNatsEngine({ servers, credentials, prefix: "gw", onNotice });
    await useAll(engine);
    await engine.close();
    expect(notices).toEqual([]);
    // With these credentials nobody removes the audit log as a whole, copies it, or reads along.
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
    // Another deployment's subjects are not its own: it is told, and that is not only a silence.
    const other = await openNatsEngine({ servers, credentials, prefix: "other", onNotice });
    other.bus.subscribe("news", () => {});
    await until(() => notices.some((text) => text.includes("other.event.news")));
    await other.close();
  });

  test("a creds file that is not there is named", async () => {
    const credsFile = join(folder, "nobody.creds");
    const servers = ["nats://127.0.0.1:9"];
    const { code, message } = await refusalOf({ servers, credentials: { credsFile } });
    expect(code).toBe("invalid");
    expect(message).toContain(credsFile);
  });

  test("over TLS only a server whose certificate is trusted", async () => {
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

  test("an account without JetStream is told to switch it on", async () => {
    const servers = await start("accounts { A { users: [{ user: a, password: b }] } }");
    const credentials = { user: "a", password: "b" };
    const { code, message } = await refusalOf({ servers, credentials });
    expect([code, message.includes("JetStream")]).toEqual(["unavailable", true]);
  });
});

describe("what is made there", { timeout: 60_000 }, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 });
  }, 60_000);
  afterAll(() => servers?.stop());

  test("three copies in files of everything, under the deployment's prefix", async () => {
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

  test("two deployments on one cluster know nothing of each other", async () => {
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
      const heard: string[] = [];
      right.bus.subscribe(">", (_, subject) => heard.push(subject));
      left.bus.subscribe("end", () => heard.push("left"));
      await until(() => {
        left.bus.publish("end", bytesOf(""));
        return heard.length > 0;
      });
      expect(new Set(heard)).toEqual(new Set(["left"]));
    } finally {
      await Promise.all([left.close(), right.close()]);
    }
  });

  test("who says nothing of a bucket's time leaves it to who does, also after him", async () => {
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

  test("what is as large as caps say goes through, though it does not compress", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    const { maxBytes } = engine.caps;
    const noise = randomBytes(maxBytes);
    await engine.kv("large").put("a", noise);
    expect(Buffer.compare((await engine.kv("large").get("a"))?.value ?? noise, noise)).toBe(0);
    const heard: number[] = [];
    engine.kv("large").watch(({ entry }) => heard.push(entry?.value.length ?? 0));
    await until(() => heard[0] === maxBytes);
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

  test("blobs that nobody has put for long are swept, and come back when they are put", async () => {
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

  test("who puts a blob while others sweep has it afterwards", async () => {
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

  test("a log that may hold so much says that it is full, and holds what it took", async () => {
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

  test("a batch that compresses is stored small, and comes back as it was", async () => {
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

  test("what somebody else put into the log's stream is corrupt, not a record", async () => {
    const prefix = freshPrefix();
    const engine = await openNatsEngine({ servers: servers.urls, prefix });
    await engine.log.append("audit", [bytesOf("1")]);
    const nc = await connect({ servers: servers.urls });
    nc.publish(`${prefix}.log.audit`, "not a batch of ours");
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
