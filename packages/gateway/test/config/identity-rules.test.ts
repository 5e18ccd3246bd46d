// biome-ignore-all lint/suspicious/noTemplateCurlyInString: As in a configuration.

// What `vitrine gateway check` reports about identities and companies' assertions.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { ConfigError } from "../../src/config/problem.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-identity-"));
});
afterAll(() => rm(folder, { recursive: true }));

const PUBLIC = "https://gw.example";
const JWT = { mode: "jwt", issuer: "https://login.example" };

async function problems(config: object): Promise<string[]> {
  const file = join(folder, "gateway.yaml");
  await writeFile(file, stringify(config), { mode: 0o600 });
  const error = await loadConfig(file, {}).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) return [];
  return error.message.split("\n").map((line) => line.replace(/^.*gateway\.yaml(:\d+)?: /, ""));
}

const serverWith = (server: object, auth: object = JWT, listen: object = { publicUrl: PUBLIC }) =>
  problems({ listen, auth, servers: { crm: { url: "https://crm.example/mcp", ...server } } });

const TOKENS = {
  ...{ tokenEndpoint: "https://login.example/token", clientId: "gw" },
  clientSecret: "a secret of the gateway",
};

test("accepts each kind of identity", async () => {
  expect(await serverWith({ identity: { kind: "assertion", groups: true } })).toEqual([]);
  expect(await serverWith({ identity: { kind: "exchange", ...TOKENS } })).toEqual([]);
  const shared = { sharing: "all", identity: { kind: "client-credentials", ...TOKENS } };
  expect(await serverWith(shared)).toEqual([]);
});

test("reports settings of an identity that are missing or have no effect", async () => {
  const [secret = ""] = await serverWith({
    identity: { kind: "exchange", ...TOKENS, groups: true },
  });
  expect(secret).toContain("identity.groups: It has no effect with the kind exchange");
  const missing = await serverWith({ identity: { kind: "client-credentials" } });
  expect(missing.join()).toContain("identity.tokenEndpoint: It's missing");
  expect(missing.join()).toContain("identity.clientSecret: It's missing");
  const plain = { kind: "exchange", ...TOKENS, tokenEndpoint: "http://login.example/token" };
  expect((await serverWith({ identity: plain })).join()).toContain("isn't encrypted");
});

test("reports identities that couldn't work or weren't safe", async () => {
  const assertion = { identity: { kind: "assertion" } };
  expect((await serverWith({ ...assertion, sharing: "all" })).join()).toContain(
    "each user has an identity of their own",
  );
  expect((await serverWith({ ...assertion, oauth: {} })).join()).toContain("oauth is set too");
  expect((await serverWith(assertion, { ...JWT, audience: "gw" }, {})).join()).toContain(
    "It needs listen.publicUrl",
  );
  const headers = { "Vitrine-Identity": "mine" };
  expect((await serverWith({ ...assertion, headers })).join()).toContain("header of the identity");
  const taken = { identity: { kind: "assertion", header: "Authorization" } };
  expect((await serverWith(taken)).join()).toContain("has another meaning");
  const exchange = { identity: { kind: "exchange", ...TOKENS } };
  expect((await serverWith(exchange, {})).join()).toContain("users have no token");
  const twice = { ...exchange, headers: { authorization: "Bearer x" } };
  expect((await serverWith(twice)).join()).toContain("The token is sent as authorization");
});

test("allows a user's variables only for processes of one user", async () => {
  const env = (value: string, sharing: string) =>
    problems({ servers: { crm: { command: ["crm"], sharing, env: { OWNER: value } } } });
  expect(await env("a-${user.tenant}-${user.id}", "user")).toEqual([]);
  expect(await env("${user.tenant}", "tenant")).toEqual([]);
  expect((await env("${user.id}", "tenant")).join()).toContain('needs "sharing: user"');
  expect((await env("${user.tenant}", "all")).join()).toContain('"sharing: tenant"');
  expect((await env("${user.password}", "user")).join()).toContain("isn't the name of a variable");
  const argument = { command: ["crm", "${user.id}"] };
  expect((await problems({ servers: { crm: argument } })).join()).toContain(
    "only works in settings",
  );
});

test("reports companies that aren't kept apart", async () => {
  const enterprise = (issuers: object[], more: object = {}) =>
    problems({
      listen: { publicUrl: PUBLIC },
      auth: { mode: "jwt", enterprise: { issuers, clients: [{ id: "a" }] }, ...more },
      servers: { crm: { url: "https://crm.example/mcp", issuers: [PUBLIC] } },
    });
  const acme = { issuer: "https://acme.example", tenant: "acme" };
  expect(await enterprise([acme])).toEqual([]);
  expect(await enterprise([acme], { issuer: "https://acme.example", tenant: "acme" })).toEqual([]);
  const other = { issuer: "https://other.example", tenant: "acme" };
  expect((await enterprise([acme, other])).join()).toContain("is also a tenant of");
  expect((await enterprise([acme], { issuer: other.issuer, tenant: "acme" })).join()).toContain(
    "is also a tenant of",
  );
  expect((await enterprise([{ issuer: "https://acme.example" }])).join()).toContain(
    "It needs its own tenants",
  );
  expect((await enterprise([{ ...acme, issuer: "http://acme.example" }])).join()).toContain(
    "isn't encrypted",
  );
});
