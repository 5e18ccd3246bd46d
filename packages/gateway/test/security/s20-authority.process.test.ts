// A server names its authorization server, so it must not be able to choose who gets the operator's client
// secret, or a code that another authorization server gave out.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import type { OAuthConfig } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import {
  createOAuthServer,
  type OAuthServer as Server,
} from "../../src/identity/credentials/authority.ts";
import { createAddressGuard } from "../../src/upstreams/index.ts";
import { OAuthServer } from "../identity/oauth-server.ts";
import { ANNA, type CredentialStage, openCredentialStage } from "../identity/stage.ts";

let stage: CredentialStage;
let honest: OAuthServer;
beforeEach(async () => {
  stage = await openCredentialStage();
  honest = await new OAuthServer().listen();
});
afterEach(async () => {
  await honest[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const serverWith = (oauth: OAuthConfig): Server => {
  const { station, authority } = stage;
  const guard = createAddressGuard({ exempt: [station.host, authority.host, honest.host] });
  return createOAuthServer({ id: "station", url: station.url, oauth, guard });
};

test("S20: a configured client secret needs a pinned issuer", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-s20-"));
  const file = join(folder, "gateway.yaml");
  const load = async (oauth: OAuthConfig) => {
    const station = { url: "https://mcp.example/mcp", oauth };
    const config = {
      listen: { publicUrl: "https://gateway.example", hosts: ["gateway.example"] },
      servers: { station },
    };
    await writeFile(file, stringify(config));
    return loadConfig(file, {});
  };
  const secret = { clientId: "corp", clientSecret: "S3CRET" };
  await expect(load(secret)).rejects.toThrow(/oauth\.clientSecret.*Set oauth\.issuer/);
  await load({ ...secret, issuer: "https://login.example" });
  await rm(folder, { recursive: true });
});

test("S20: a client secret is never sent to an authorization server that the operator didn't name", async () => {
  const server = serverWith({ clientId: "corp", clientSecret: "S3CRET" });
  await expect(stage.credentials.flow.begin(ANNA, server)).rejects.toMatchObject({
    code: "issuer",
  });
  expect(stage.authority.tokenRequests).toEqual([]);
  await server.close();
});

test("S20: an honest authorization endpoint with a hostile token endpoint is refused", async () => {
  const { authority, credentials } = stage;
  authority.namesItself = false;
  honest.namesItself = false;
  authority.metadata = { authorization_endpoint: `${honest.issuer}/authorize` };
  const server = serverWith({});
  await expect(credentials.flow.begin(ANNA, server)).rejects.toMatchObject({
    code: "incompatible",
    message: expect.stringContaining("Set oauth.issuer"),
  });
  await server.close();
});

test("S20: a response with another issuer, or without the announced iss, is refused", async () => {
  const { authority, credentials } = stage;
  authority.metadata = { authorization_endpoint: `${honest.issuer}/authorize` };
  const server = serverWith({});
  for (const iss of [honest.issuer, undefined]) {
    const { url } = await credentials.flow.begin(ANNA, server);
    const state = new URL(url).searchParams.get("state") ?? "";
    const answer = { state, code: "CODE-OF-HONEST", ...(iss && { iss }) };
    await expect(credentials.flow.arrive("station", answer)).rejects.toMatchObject({
      code: "issuer",
    });
  }
  expect(authority.tokenRequests).toEqual([]);
  await server.close();
});

test("S20: an operator who pins the issuer may use one with endpoints elsewhere", async () => {
  const { authority, credentials } = stage;
  authority.namesItself = false;
  authority.metadata = { token_endpoint: `${honest.issuer}/token` };
  const server = serverWith({ issuer: authority.issuer });
  expect((await credentials.flow.begin(ANNA, server)).url).toContain(authority.issuer);
  await server.close();
});

test("S20: the client that is registered has the server's name in its own", async () => {
  await stage.credentials.flow.begin(ANNA, stage.server);
  expect(stage.authority.registrations).toMatchObject([
    { client_name: "Vitrine gateway: station" },
  ]);
});
