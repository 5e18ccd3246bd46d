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
  test("of one server is complete: the rest has defaults", async () => {
    const { config, warnings } = await load(SERVERS);
    expect(config).toMatchObject({
      listen: { host: "127.0.0.1", port: 8090, hosts: [] },
      auth: { mode: "dev" },
      engine: { driver: "memory" },
      audit: { level: "digest", onFull: "reject" },
      servers: { clock: { consent: "ask", deadline: 60_000, sharing: "user", era: "auto" } },
    });
    expect(warnings).toEqual([]);
  });

  test("may be JSON", async () => {
    const text = JSON.stringify({ servers: { clock: { command: ["node", "clock.js"] } } });
    const { config } = await load(text, {}, "gateway.json");
    expect(config.servers.clock?.command).toEqual(["node", "clock.js"]);
  });

  test("has its folders beside the file", async () => {
    const { config } = await load(
      "engine: { driver: file, folder: data }\nservers:\n  a: { command: [a], cwd: sub }\n",
    );
    expect(config.engine.folder).toBe(join(folder, "data"));
    expect(config.servers.a?.cwd).toBe(join(folder, "sub"));
  });

  test("that is shown as an example can be used", async () => {
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
  test("shows a configuration that can be used", async () => {
    const guide = await readFile(new URL("../../../../docs/operate.md", import.meta.url), "utf8");
    const [, text = ""] = /`gateway\.yaml`:\n\n```yaml\n(.*?)```/s.exec(guide) ?? [];
    const { config } = await load(text);
    expect(Object.keys(config.servers)).toEqual(["clock"]);
    expect(config.servers.clock?.cwd).toBe(folder);
  });
});

describe("a mistake is told with its line, its value and the remedy:", () => {
  test("a setting that does not exist, with the nearest that does", async () => {
    expect(await complaints(`${SERVERS}    consnet: ask\n`)).toBe(
      'gateway.yaml:4: servers.clock.consnet: There is no such setting; did you mean "consent"?',
    );
    expect(await complaints(`lisen: {}\n${SERVERS}`)).toContain('did you mean "listen"?');
  });

  test("a value that is not one of those allowed", async () => {
    expect(await complaints(`${SERVERS}    consent: alway\n`)).toBe(
      'gateway.yaml:4: servers.clock.consent: "alway" is not one of ask, always, host. Did you mean "always"?',
    );
  });

  test("a value of another type or out of its range", async () => {
    const text = await complaints(
      `listen: { port: eighty }\nlimits: { userAtOnce: 0 }\n${SERVERS}`,
    );
    expect(text).toContain('gateway.yaml:1: listen.port: "eighty" is no whole number.');
    expect(text).toContain(
      "gateway.yaml:2: limits.userAtOnce: 0 is out of range: it must be >= 1.",
    );
  });

  test("what is missing", async () => {
    expect(await complaints("listen: {}\n")).toContain('"servers" is missing.');
    const jwt = await complaints(`auth: { mode: jwt, issuer: https://id.example }\n${SERVERS}`);
    expect(jwt).toContain('auth: "audience" is missing.');
    expect(jwt).toContain('auth: "jwks" is missing.');
    expect(jwt).not.toContain("then");
    expect(await complaints(`engine: { driver: file }\n${SERVERS}`)).toContain(
      '"folder" is missing',
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
    expect(text).toContain("servers.a.headers: It means nothing for a server with a command");
  });

  test("a name that cannot stand in an address", async () => {
    const text = await complaints('servers:\n  "a/b": { url: "https://a.example" }\n');
    expect(text).toContain("servers.a/b: The name is not of the right form");
  });

  test("text that is no YAML, by line and without repeating it", async () => {
    const text = await complaints(`auth:\n  token: "${SECRET}\nservers: {}\n`);
    expect(text).toMatch(/^gateway\.yaml:\d+: /);
    expect(text).not.toContain(SECRET);
  });

  test("a file that is not there", async () => {
    await expect(loadConfig(join(folder, "nowhere.yaml"), {})).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringContaining("There is no such file"),
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

  test("fills secrets, which are then known to be secret", async () => {
    const { config, secrets } = await load(secret, { CLOCK_TOKEN: SECRET });
    expect(config.servers.clock?.headers).toEqual({ authorization: `Bearer ${SECRET}` });
    expect(secrets).toContain(SECRET);
  });

  test("that lacks a variable is an error that names it", async () => {
    expect(await complaints(secret)).toBe(
      "gateway.yaml:4: servers.clock.headers.authorization: The variable CLOCK_TOKEN is not set; set it before the gateway is started.",
    );
  });

  test("is not read where nothing is secret; the variable that can is named", async () => {
    const text = await complaints(`listen: { host: "\${HOST}" }\n${SERVERS}`, {
      HOST: "127.0.0.1",
    });
    expect(text).toContain(`\${HOST} is read in secrets only; set VITRINE_LISTEN_HOST instead.`);
  });

  test("overrides a setting, and takes the blame for its value", async () => {
    const environment = {
      VITRINE_LISTEN_PORT: "9999",
      VITRINE_ORIGINS: "https://a.example, https://b.example",
    };
    const { config } = await load(SERVERS, environment);
    expect(config.listen.port).toBe(9999);
    expect(config.origins).toEqual(["https://a.example", "https://b.example"]);
    expect(await complaints(SERVERS, { VITRINE_LISTEN_PORT: "many" })).toContain(
      'listen.port: "many" is no whole number. (from VITRINE_LISTEN_PORT)',
    );
  });

  test("is warned of where a variable looks like ours and is not", async () => {
    const { warnings } = await load(SERVERS, { VITRINE_LISTEN_PROT: "1" });
    expect(warnings).toEqual([
      "The variable VITRINE_LISTEN_PROT sets nothing; did you mean VITRINE_LISTEN_PORT?",
    ]);
  });

  test("never shows a secret in a complaint (G135)", async () => {
    const short = "short-secret";
    const text = await complaints(
      `auth: { token: ${short} }\nengine: { driver: nats, key: 12345678 }\n${SERVERS}`,
    );
    expect(text).toContain("auth.token: It has 12 characters, 32 are the least.");
    expect(text).not.toContain(short);
    expect(text).not.toContain("12345678");
  });
});

describe("what others reach needs a log-in (G127):", () => {
  const jwt =
    "auth: { mode: jwt, issuer: https://id.example, audience: gw, jwks: https://id.example/keys }\n";

  test.each(["0.0.0.0", "::", "192.168.1.5", "gateway.example.com", "127.0.0.1.example.com"])(
    "%s is refused with a token for developers",
    async (host) => {
      const text = await complaints(`listen: { host: "${host}", hosts: [gw.example] }\n${SERVERS}`);
      expect(text).toContain("auth.mode dev is for this one alone");
    },
  );

  test.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("%s is not", async (host) => {
    const { config } = await load(`listen: { host: "${host}" }\n${SERVERS}`);
    expect(config.listen.host).toBe(host);
  });

  test("with one it may be bound, if it is told its names", async () => {
    const open = (hosts: string) => `listen: { host: 0.0.0.0, hosts: ${hosts} }\n${jwt}${SERVERS}`;
    expect((await load(open("[gw.example]"))).config.listen.host).toBe("0.0.0.0");
    expect(await complaints(open("[]"))).toContain("list the names it is called by");
  });

  test("and so does the operator's port", async () => {
    const text = await complaints(`operator: { host: 0.0.0.0, port: 9464 }\n${SERVERS}`);
    expect(text).toContain("set operator.token");
  });
});

describe("addresses", () => {
  test("that are not encrypted are refused unless the operator answers for them", async () => {
    const plain = "servers:\n  a: { url: http://10.0.0.5/mcp }\n";
    expect(await complaints(plain)).toContain("is not encrypted; use https");
    const own = "servers:\n  a: { url: http://10.0.0.5/mcp, private: true }\n";
    expect((await load(own)).config.servers.a?.private).toBe(true);
  });

  test("of pages are origins, as browsers write them", async () => {
    expect(await complaints(`origins: ["https://Chat.example"]\n${SERVERS}`)).toContain(
      'write "https://chat.example"',
    );
    expect(await complaints(`origins: ["http://chat.example"]\n${SERVERS}`)).toContain(
      "not encrypted",
    );
    await load(`origins: ["http://app.localhost:8080"]\n${SERVERS}`);
  });

  test("with a credential in them are refused", async () => {
    const text = await complaints("servers:\n  a: { url: https://me:pw@a.example }\n");
    expect(text).toContain("give it in headers");
  });

  test("for OAuth: it must know where users come back to", async () => {
    const oauth = "servers:\n  a: { url: https://a.example, oauth: {} }\n";
    expect(await complaints(oauth)).toContain('listen.publicUrl: "a" has oauth');
  });
});

describe("an archive", () => {
  const file = "engine: { driver: file, folder: data }\n";

  test("has its folder beside the file, a size and a time, and can be set by variable", async () => {
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

  test("needs a folder of its own, and an engine that lasts", async () => {
    const same = `${file}audit: { archive: { folder: ./data/ } }\n${SERVERS}`;
    expect(await complaints(same)).toContain("audit.archive.folder: It is engine.folder");
    const memory = `audit: { archive: { folder: kept } }\n${SERVERS}`;
    expect(await complaints(memory)).toContain("set engine.driver to file or nats");
    const none = `${file}audit: { archive: { rotateHours: 2 } }\n${SERVERS}`;
    expect(await complaints(none)).toContain('"folder" is missing');
  });
});
