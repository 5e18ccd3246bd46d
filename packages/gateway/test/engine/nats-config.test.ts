import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { EngineConfig } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";

const WHOLE = { driver: "nats", servers: ["nats://127.0.0.1:4222"] };

describe("NATS in a configuration", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "vitrine-config-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const load = async (engine: object, environment: Record<string, string> = {}) => {
    const file = join(folder, "gateway.yaml");
    await writeFile(file, stringify({ servers: {}, keys: { folder: "keys" }, engine }));
    return loadConfig(file, environment);
  };
  const engineOf = async (engine: object): Promise<EngineConfig> =>
    (await load(engine)).config.engine;

  test("servers and a folder of keys are enough", async () => {
    const { config } = await load(WHOLE, { VITRINE_ENGINE_NODE: "gateway-7" });
    expect(config.engine).toEqual({ ...WHOLE, node: "gateway-7" });
    expect(config.keys).toEqual({ folder: join(folder, "keys") });
  });

  test("rejects a configuration without a folder of keys, with the command that creates it", async () => {
    const file = join(folder, "gateway.yaml");
    await writeFile(file, stringify({ servers: {}, engine: WHOLE }));
    await expect(loadConfig(file, {})).rejects.toThrow("vitrine gateway keys create <folder>");
  });

  test("resolves files relative to the configuration, wherever the gateway is started", async () => {
    const tls = { caFile: "ca.pem", certFile: "/etc/nats/cert.pem" };
    const engine = await engineOf({ ...WHOLE, login: { credsFile: "gateway.creds" }, tls });
    expect(engine.login?.credsFile).toBe(join(folder, "gateway.creds"));
    expect(engine.tls).toEqual({ caFile: join(folder, "ca.pem"), certFile: "/etc/nats/cert.pem" });
  });

  test.for([
    [{ driver: "nats" }, '"servers" is missing'],
    [{ ...WHOLE, key: "CANARY" }, "Keys are stored in files now"],
    [{ ...WHOLE, servers: [] }, "The list is empty"],
    [{ ...WHOLE, servers: ["http://nats"] }, "has the wrong format"],
    [{ ...WHOLE, servers: ["nats://me:CANARY@nats:4222"] }, "Move the credential to engine.login"],
    [{ ...WHOLE, replicas: 2 }, "isn't one of 1, 3, 5"],
    [{ ...WHOLE, node: "a b" }, "has the wrong format"],
    [{ ...WHOLE, prefix: "a.b" }, "has the wrong format"],
    [
      { driver: "sqlite", folder: "data", servers: WHOLE.servers },
      "no effect with the driver sqlite",
    ],
    [{ ...WHOLE, login: {} }, "Set exactly one of user, token and credsFile"],
    [
      { ...WHOLE, login: { user: "a", token: "b" } },
      "Set exactly one of user, token and credsFile",
    ],
    [{ ...WHOLE, login: { token: "b", password: "c" } }, "It needs engine.login.user"],
  ] as const)("%j is refused: %s", async ([engine, words]) => {
    const error = await load(engine).then(String, (thrown: Error) => thrown.message);
    expect(error).toContain(words);
    expect(error).not.toContain("CANARY");
  });
});
