import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/config/problem.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

const SECRET = "a-very-secret-value-of-forty-characters!";
const SERVERS = "servers:\n  clock:\n    url: https://clock.example/mcp\n";

async function load(text: string, environment: Record<string, string> = {}, name = "gateway.yaml") {
  const file = join(folder, name);
  await writeFile(file, text);
  return loadConfig(file, environment);
}

async function complaints(text: string, environment: Record<string, string> = {}): Promise<string> {
  const error = await load(text, environment).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message.replaceAll(`${folder}/`, "");
}

describe("a configuration", () => {
  test("needs only one server: everything else has a default", async () => {
    const { config, warnings } = await load(SERVERS);
    expect(config).toMatchObject({
      listen: { host: "127.0.0.1", port: 8090, hosts: [] },
      auth: { mode: "dev" },
      engine: { driver: "memory" },
      audit: { level: "digest", onFull: "reject" },
      servers: { clock: { consent: "ask", deadline: 60_000, sharing: "user", era: "auto" } },
    });
    expect(warnings).toEqual([expect.stringMatching(/^engine: no driver is set.*engine\.folder/)]);
  });

  test("with a folder uses SQLite, and a chosen engine in memory isn't warned of", async () => {
    const kept = await load(`engine: { folder: data }\n${SERVERS}`);
    expect(kept.config.engine).toMatchObject({ driver: "sqlite", folder: join(folder, "data") });
    expect(kept.warnings).toEqual([]);
    expect((await load(`engine: { driver: memory }\n${SERVERS}`)).warnings).toEqual([]);
  });

  test("with the driver file of version 0.1 names its successor", async () => {
    const text = await complaints(`engine: { driver: file, folder: data }\n${SERVERS}`);
    expect(text).toContain("engine.driver: The driver file was replaced by sqlite");
    expect(text).toContain("isn't converted");
  });

  test("may be JSON", async () => {
    const text = JSON.stringify({ servers: { clock: { command: ["node", "clock.js"] } } });
    const { config } = await load(text, {}, "gateway.json");
    expect(config.servers.clock?.command).toEqual(["node", "clock.js"]);
  });

  test("resolves folders relative to the file", async () => {
    const { config } = await load(
      "engine: { driver: sqlite, folder: data }\nservers:\n  a: { command: [a], cwd: sub }\n",
    );
    expect(config.engine.folder).toBe(join(folder, "data"));
    expect(config.servers.a?.cwd).toBe(join(folder, "sub"));
  });

  test("shown as an example is valid", async () => {
    const text = await readFile(new URL("../../gateway.example.yaml", import.meta.url), "utf8");
    await mkdir(join(folder, "secrets"), { recursive: true });
    for (const [, path] of text.matchAll(/\$\{file:([\w/-]+)\}/g)) {
      await writeFile(join(folder, `${path}`), SECRET, { mode: 0o600 });
    }
    const { config } = await load(text);
    expect(Object.keys(config.servers).length).toBeGreaterThan(1);
  });
});

describe("the guide", () => {
  test("shows a valid configuration", async () => {
    const guide = await readFile(
      new URL("../../../../docs/first-gateway.md", import.meta.url),
      "utf8",
    );
    const [, text = ""] = /`gateway\.yaml`:\n\n```yaml\n(.*?)```/s.exec(guide) ?? [];
    const { config } = await load(text);
    expect(Object.keys(config.servers)).toEqual(["clock"]);
    expect(config.servers.clock?.cwd).toBe(folder);
  });
});

describe("reports a mistake with its line, its value and the remedy:", () => {
  test("an unknown setting, with the most similar one", async () => {
    expect(await complaints(`${SERVERS}    consnet: ask\n`)).toBe(
      'gateway.yaml:4: servers.clock.consnet: Unknown setting. Did you mean "consent"?',
    );
    expect(await complaints(`lisen: {}\n${SERVERS}`)).toContain('Did you mean "listen"?');
  });

  test("rejects a value that isn't one of the allowed ones", async () => {
    expect(await complaints(`${SERVERS}    consent: alway\n`)).toBe(
      `gateway.yaml:4: servers.clock.consent: "alway" isn't one of ask, always, host. Did you mean "always"?`,
    );
  });

  test("a value of the wrong type or out of range", async () => {
    const text = await complaints(
      `listen: { port: eighty }\nlimits: { userAtOnce: 0 }\n${SERVERS}`,
    );
    expect(text).toContain(`gateway.yaml:1: listen.port: "eighty" isn't a whole number.`);
    expect(text).toContain(
      "gateway.yaml:2: limits.userAtOnce: 0 is out of range: it must be >= 1.",
    );
  });

  test("a missing setting", async () => {
    expect(await complaints("listen: {}\n")).toContain('"servers" is missing.');
    const jwt = await complaints(`auth: { mode: jwt, issuer: https://id.example }\n${SERVERS}`);
    expect(jwt).toContain("auth.audience: It's missing. Set listen.publicUrl");
    expect(await complaints(`auth: { mode: jwt }\n${SERVERS}`)).toContain("Set auth.issuer");
    expect(await complaints(`engine: { driver: sqlite }\n${SERVERS}`)).toContain(
      '"folder" is missing',
    );
  });

  test("issuers whose users could be confused", async () => {
    const issuers = (second: string): string => `listen: { publicUrl: https://gw.example }
auth:
  mode: jwt
  issuers:
    - { issuer: https://a.example, tenant: acme }
    - { issuer: https://b.example, ${second} }
${SERVERS}`;
    expect(await complaints(issuers("tenantClaim: org"))).toContain("each needs its own tenants");
    expect(await complaints(issuers("tenant: acme"))).toContain(
      '"acme" is also a tenant of https://a.example',
    );
    expect(await complaints(issuers("tenantClaim: org, tenants: [acme]"))).toContain(
      '"acme" is also a tenant of https://a.example',
    );
    expect(await complaints(issuers("tenants: [b]"))).toContain("It needs tenantClaim");
    expect(await complaints(issuers("tenant: b, jwks: http://b.example/keys"))).toContain(
      '"http://b.example/keys" isn\'t encrypted. Use https.',
    );
  });

  test("a server that is both or neither", async () => {
    expect(await complaints("servers:\n  a: { consent: ask }\n")).toContain(
      "neither url nor command",
    );
    const both = "servers:\n  a: { url: https://a.example, command: [a] }\n";
    expect(await complaints(both)).toContain("both url and command");
  });

  test("a setting of the other kind of server", async () => {
    const text = await complaints("servers:\n  a: { command: [a], headers: { x: y } }\n");
    expect(text).toContain("servers.a.headers: It has no effect for a server with a command");
  });

  test("a name that isn't valid in a URL", async () => {
    const text = await complaints('servers:\n  "a/b": { url: "https://a.example" }\n');
    expect(text).toContain("servers.a/b: The name has the wrong format");
  });

  test("text that isn't YAML, by line and without repeating it", async () => {
    const text = await complaints(`auth:\n  token: "${SECRET}\nservers: {}\n`);
    expect(text).toMatch(/^gateway\.yaml:\d+: /);
    expect(text).not.toContain(SECRET);
  });

  test("a missing file", async () => {
    await expect(loadConfig(join(folder, "nowhere.yaml"), {})).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringContaining("The file doesn't exist"),
    });
  });

  test("all of them at once", async () => {
    const text = await complaints(
      "listen: { port: x }\naudit: { level: all }\nservers: { a: {} }\n",
    );
    expect(text.split("\n")).toHaveLength(3);
  });
});

describe("the environment", () => {
  const secret = `${SERVERS}    headers: { authorization: "Bearer \${CLOCK_TOKEN}" }\n`;

  test("fills in secrets and marks them as secret", async () => {
    const { config, secrets } = await load(secret, { CLOCK_TOKEN: SECRET });
    expect(config.servers.clock?.headers).toEqual({ authorization: `Bearer ${SECRET}` });
    expect(secrets).toContain(SECRET);
  });

  test("reports a missing variable by name", async () => {
    expect(await complaints(secret)).toBe(
      "gateway.yaml:4: servers.clock.headers.authorization: The variable CLOCK_TOKEN isn't set. Set it before you start the gateway.",
    );
  });

  test("isn't read in settings that aren't secret, and the message names the right variable", async () => {
    const text = await complaints(`listen: { host: "\${HOST}" }\n${SERVERS}`, {
      HOST: "127.0.0.1",
    });
    expect(text).toContain(
      `\${HOST} only works in settings that are secrets. Set VITRINE_LISTEN_HOST instead.`,
    );
  });

  test("overrides a setting, and errors name the variable", async () => {
    const environment = {
      VITRINE_LISTEN_PORT: "9999",
      VITRINE_ORIGINS: "https://a.example, https://b.example",
    };
    const { config } = await load(SERVERS, environment);
    expect(config.listen.port).toBe(9999);
    expect(config.origins).toEqual(["https://a.example", "https://b.example"]);
    expect(await complaints(SERVERS, { VITRINE_LISTEN_PORT: "many" })).toContain(
      `listen.port: "many" isn't a whole number. (from VITRINE_LISTEN_PORT)`,
    );
  });

  test("warns about an unknown variable with the gateway's prefix", async () => {
    const { warnings } = await load(`engine: { driver: memory }\n${SERVERS}`, {
      VITRINE_LISTEN_PROT: "1",
    });
    expect(warnings).toEqual([
      "The variable VITRINE_LISTEN_PROT sets nothing. Did you mean VITRINE_LISTEN_PORT?",
    ]);
  });

  test("never shows a secret in a complaint (G135)", async () => {
    const short = "short-secret";
    const text = await complaints(
      `auth: { token: ${short} }\nengine: { driver: nats, key: 12345678 }\n${SERVERS}`,
    );
    expect(text).toContain("auth.token: It has 12 characters, but needs at least 32.");
    expect(text).not.toContain(short);
    expect(text).not.toContain("12345678");
  });
});

describe("a reachable address needs authentication (G127):", () => {
  const jwt =
    "auth: { mode: jwt, issuer: https://id.example, audience: gw, jwks: https://id.example/keys }\n";

  test.each(["0.0.0.0", "::", "192.168.1.5", "gateway.example.com", "127.0.0.1.example.com"])(
    "%s is refused with a token for developers",
    async (host) => {
      const text = await complaints(`listen: { host: "${host}", hosts: [gw.example] }\n${SERVERS}`);
      expect(text).toContain("auth.mode dev is for this machine only");
    },
  );

  test.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("%s is not", async (host) => {
    const { config } = await load(`listen: { host: "${host}" }\n${SERVERS}`);
    expect(config.listen.host).toBe(host);
  });

  test("may be bound with authentication and host names", async () => {
    const open = (hosts: string) => `listen: { host: 0.0.0.0, hosts: ${hosts} }\n${jwt}${SERVERS}`;
    expect((await load(open("[gw.example]"))).config.listen.host).toBe("0.0.0.0");
    expect(await complaints(open("[]"))).toContain("List the host names that clients use");
  });

  test("and so does the operator's port", async () => {
    const text = await complaints(`operator: { host: 0.0.0.0, port: 9464 }\n${SERVERS}`);
    expect(text).toContain("Set operator.token");
  });
});

describe("addresses", () => {
  test("that aren't encrypted are rejected unless the operator exempts them", async () => {
    const plain = "servers:\n  a: { url: http://10.0.0.5/mcp }\n";
    expect(await complaints(plain)).toContain("isn't encrypted. Use https");
    const own = "servers:\n  a: { url: http://10.0.0.5/mcp, private: true }\n";
    expect((await load(own)).config.servers.a?.private).toBe(true);
  });

  test("of pages must be origins as browsers write them", async () => {
    expect(await complaints(`origins: ["https://Chat.example"]\n${SERVERS}`)).toContain(
      'Write "https://chat.example"',
    );
    expect(await complaints(`origins: ["http://chat.example"]\n${SERVERS}`)).toContain(
      "isn't encrypted",
    );
    await load(`origins: ["http://app.localhost:8080"]\n${SERVERS}`);
  });

  test("with a credential in them are rejected", async () => {
    const text = await complaints("servers:\n  a: { url: https://me:pw@a.example }\n");
    expect(text).toContain("Move the credential to headers");
  });

  test("for OAuth need a public URL to redirect to", async () => {
    const oauth = "servers:\n  a: { url: https://a.example, oauth: {} }\n";
    expect(await complaints(oauth)).toContain('listen.publicUrl: "a" uses oauth');
  });
});

describe("an archive", () => {
  const file = "engine: { driver: sqlite, folder: data }\n";

  test("has a folder relative to the file, a size and a time, and can be set by variables", async () => {
    const given = await load(`${file}audit: { archive: { folder: kept } }\n${SERVERS}`);
    expect(given.config.audit.archive).toEqual({
      folder: join(folder, "kept"),
      rotateBytes: 64 * 2 ** 20,
      rotateHours: 24,
    });
    const variables = {
      VITRINE_AUDIT_ARCHIVE_FOLDER: "/srv/archive",
      VITRINE_AUDIT_ARCHIVE_ROTATE_HOURS: "1",
    };
    const { config, warnings } = await load(`${file}${SERVERS}`, variables);
    expect(config.audit.archive).toMatchObject({ folder: "/srv/archive", rotateHours: 1 });
    expect(warnings).toEqual([]);
  });

  test("needs a separate folder and a durable engine", async () => {
    const same = `${file}audit: { archive: { folder: ./data/ } }\n${SERVERS}`;
    expect(await complaints(same)).toContain(
      "audit.archive.folder: It's the same as engine.folder",
    );
    const memory = `audit: { archive: { folder: kept } }\n${SERVERS}`;
    expect(await complaints(memory)).toContain("Set engine.driver to sqlite or nats");
    const none = `${file}audit: { archive: { rotateHours: 2 } }\n${SERVERS}`;
    expect(await complaints(none)).toContain('"folder" is missing');
  });
});
