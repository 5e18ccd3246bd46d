import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import type { Json } from "../stage.ts";

const SECRET = "CANARY-0123456789abcdef0123456789abcdef";
const JWT = {
  mode: "jwt",
  issuer: "https://id.example",
  audience: "gateway",
  jwks: "https://id.example/keys",
};
const variable = (name: string): string => `\${${name}}`;

describe("the configuration of a gateway that users share", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-s19-config-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const load = async (config: Record<string, Json>, environment = {}, mode = 0o644) => {
    const file = join(folder, "gateway.yaml");
    await writeFile(file, stringify({ auth: JWT, servers: {}, ...config }));
    await chmod(file, mode);
    return loadConfig(file, environment);
  };
  const complaint = (...given: Parameters<typeof load>): Promise<string> =>
    load(...given).then(
      () => "nothing",
      (error: Error) => error.message,
    );
  const secretFile = async (mode: number, text = `${SECRET}\n`): Promise<string> => {
    const path = join(folder, "secret");
    await writeFile(path, text);
    await chmod(path, mode);
    return "secret";
  };

  test("S19: names a user for each server that is a program", async () => {
    const isolation = { runner: "none" };
    const servers = { "My.Clock": { command: ["clock"], isolation } };
    expect(await complaint({ servers })).toContain('write "user: mcp-my-clock"');
    // By default, a runner isolates it.
    expect(await complaint({ servers: { clock: { command: ["clock"] } } })).toBe("nothing");
    // The gateway of a single developer starts programs as that developer.
    expect(await complaint({ servers, auth: { mode: "dev" } })).toBe("nothing");
    const named = { "My.Clock": { command: ["clock"], isolation, user: "mcp-clock" } };
    expect(await complaint({ servers: named })).toBe("nothing");
  });

  test("S19: takes no secret from the environment", async () => {
    const operator = { port: 0, token: variable("OPERATOR_TOKEN") };
    const environment = { OPERATOR_TOKEN: SECRET };
    const text = await complaint({ operator }, environment);
    expect(text).toContain(
      "operator.token: The variable OPERATOR_TOKEN would stay readable in /proc",
    );
    expect(text).not.toContain(SECRET);
    const override = { VITRINE_OPERATOR_TOKEN: SECRET };
    expect(await complaint({ operator: { port: 0 } }, override)).toContain(
      "stay readable in /proc",
    );
    expect(await complaint({ operator, auth: { mode: "dev" } }, environment)).toBe("nothing");
  });

  test("S19: takes secrets from files that only the gateway can read", async () => {
    const operator = { port: 0, token: variable(`file:${await secretFile(0o600)}`) };
    const { config, secrets } = await load({ operator });
    expect(config.operator?.token).toBe(SECRET);
    expect(secrets).toContain(SECRET);
    for (const mode of [0o644, 0o604, 0o660]) {
      await secretFile(mode);
      expect(await complaint({ operator })).toContain("Run: chmod 600");
    }
    await secretFile(0o600, "");
    expect(await complaint({ operator })).toContain("is empty");
    await rm(join(folder, "secret"));
    expect(await complaint({ operator })).toContain("doesn't exist");
  });

  test("S19: has no secret in a configuration file that every user can read", async () => {
    const operator = { port: 0, token: SECRET };
    const text = await complaint({ operator });
    expect(text).toContain("operator.token: The secret is in a file that every user");
    expect(text).not.toContain(SECRET);
    expect(await complaint({ operator }, {}, 0o640)).toBe("nothing");
    const servers = { a: { command: ["a"], user: "a", env: { LOG_LEVEL: "warn" } } };
    expect(await complaint({ servers })).toBe("nothing");
  });

  test("S19: has no login for NATS in a file that every user can read", async () => {
    const engine = { driver: "nats", servers: ["nats://127.0.0.1:4222"] };
    const login = { credsFile: await secretFile(0o644) };
    const given = { keys: { folder: "keys" }, engine: { ...engine, login } };
    expect(await complaint(given)).toContain("engine.login.credsFile: ");
    await secretFile(0o600);
    expect(await complaint(given)).toBe("nothing");
  });

  test("S19: warns about servers that can read each other", async () => {
    const server = { command: ["a"], user: "mcp" };
    const { warnings } = await load({ servers: { a: server, b: server } });
    expect(warnings).toContainEqual(expect.stringContaining("The servers a, b run as user mcp"));
  });
});
