import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOAuthServer } from "../../src/identity/credentials/authority.ts";
import { createAddressGuard } from "../../src/upstreams/index.ts";
import { collect } from "../service/stage.ts";
import { OAuthServer, serveProtectedStation } from "./oauth-server.ts";
import {
  ANNA,
  BERT,
  type CredentialStage,
  openCredentialStage,
  PAGE,
  PUBLIC_URL,
} from "./stage.ts";

let stage: CredentialStage;
beforeEach(async () => {
  stage = await openCredentialStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

/** The first two steps, as a user's browser takes them. */
async function arrive(change: (back: URL) => void = () => {}, server = "station") {
  const { url } = await stage.credentials.flow.begin(ANNA, stage.server);
  const back = await stage.authority.open(url);
  change(back);
  const answer = Object.fromEntries(back.searchParams) as { state: string };
  return stage.credentials.flow.arrive(server, answer);
}

describe("a login", () => {
  test("gives a user a token, which calls to the server then use", async () => {
    await expect(stage.call()).rejects.toMatchObject({ code: "unauthorized" });
    await stage.login();
    expect(await stage.call()).toContain("12 °C in Graz");
    const [form] = stage.authority.tokenRequests;
    expect(form?.get("resource")).toBe(stage.station.url);
    expect(form?.get("redirect_uri")).toBe(`${PUBLIC_URL}/oauth/callback/station`);
  });

  test("belongs to one user only", async () => {
    await stage.login(ANNA);
    await expect(stage.call(BERT)).rejects.toMatchObject({ code: "unauthorized" });
    expect(await stage.credentials.isConnected(BERT, stage.server)).toBe(false);
    await stage.credentials.disconnect(ANNA, stage.server);
    await expect(stage.call(ANNA)).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("registers the gateway once, with one exact redirect address", async () => {
    await stage.login(ANNA);
    await stage.login(BERT);
    expect(stage.authority.registrations).toHaveLength(1);
    expect(stage.authority.registrations[0]).toMatchObject({
      redirect_uris: [`${PUBLIC_URL}/oauth/callback/station`],
      application_type: "native",
    });
  });

  test("redirects the browser to the Host's page with the confirmation in the fragment", async () => {
    const { url } = await stage.credentials.flow.begin(ANNA, stage.server, {
      returnTo: `${PAGE}/connected`,
    });
    const back = await stage.authority.open(url);
    const { location, confirmation } = await stage.credentials.flow.arrive(
      "station",
      Object.fromEntries(back.searchParams) as { state: string },
    );
    expect(location).toBe(`${PAGE}/connected#vitrine-connect=${confirmation}`);
  });

  test("S33: the browser returns to the address that was checked, not to what was written", async () => {
    for (const written of ["\t/a/../connected#", "\\connected", "/connect\ned"]) {
      const { url } = await stage.credentials.flow.begin(ANNA, stage.server, {
        returnTo: `${PAGE}${written}`,
      });
      const back = await stage.authority.open(url);
      const { location, confirmation } = await stage.credentials.flow.arrive(
        "station",
        Object.fromEntries(back.searchParams) as { state: string },
      );
      expect(location).toBe(`${PAGE}/connected#vitrine-connect=${confirmation}`);
    }
  });

  test("S33: an address with a user name isn't accepted as a return page", async () => {
    const returnTo = PAGE.replace("://", "://bank.example@");
    const begun = stage.credentials.flow.begin(ANNA, stage.server, { returnTo });
    await expect(begun).rejects.toMatchObject({ code: "bad-return" });
  });

  test.each(["https://evil.example/", "javascript:alert(1)", `${PAGE}/#x`, "/connected"])(
    "does not send the browser to %s",
    async (returnTo) => {
      const begun = stage.credentials.flow.begin(ANNA, stage.server, { returnTo });
      await expect(begun).rejects.toMatchObject({ code: "bad-return" });
    },
  );

  test("requests the scopes that a server asked for, on top of the user's", async () => {
    await stage.login();
    stage.station.scope = "write";
    await expect(stage.call()).rejects.toMatchObject({ code: "unauthorized" });
    const { url } = await stage.credentials.flow.begin(ANNA, stage.server);
    expect(new URL(url).searchParams.get("scope")).toBe("write");
    await stage.login();
    expect(await stage.call()).toContain("Graz");
  });
});

describe("rejects (G134):", () => {
  test("an unknown state", async () => {
    const wrong = arrive((back) => back.searchParams.set("state", "guessed"));
    await expect(wrong).rejects.toMatchObject({ code: "unknown-flow" });
    expect(stage.authority.tokenRequests).toHaveLength(0);
  });

  test("a state that was already used", async () => {
    const { url } = await stage.credentials.flow.begin(ANNA, stage.server);
    const back = await stage.authority.open(url);
    const answer = Object.fromEntries(back.searchParams) as { state: string };
    const twice = await Promise.allSettled([
      stage.credentials.flow.arrive("station", answer),
      stage.credentials.flow.arrive("station", answer),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("a response from another authorization server (mix-up)", async () => {
    const other = arrive((back) => back.searchParams.set("iss", "https://evil.example"));
    await expect(other).rejects.toMatchObject({ code: "issuer" });
  });

  test("a response without iss from a server that announced iss", async () => {
    const nameless = arrive((back) => back.searchParams.delete("iss"));
    await expect(nameless).rejects.toMatchObject({ code: "issuer" });
  });

  test("a response at another server's redirect address, if neither sends iss", async () => {
    stage.authority.namesItself = false;
    await expect(arrive(() => {}, "evil")).rejects.toMatchObject({ code: "issuer" });
    await expect(arrive()).resolves.toMatchObject({ confirmation: expect.any(String) });
  });

  test("a code that another user confirms: a link sent to a victim gives its sender nothing", async () => {
    const { confirmation = "" } = await arrive();
    const confirmed = stage.credentials.flow.confirm(BERT, stage.server, confirmation);
    await expect(confirmed).rejects.toMatchObject({ code: "other-user" });
    const again = stage.credentials.flow.confirm(ANNA, stage.server, confirmation);
    await expect(again).rejects.toMatchObject({ code: "unknown-flow" });
    expect(stage.authority.tokenRequests).toHaveLength(0);
  });

  test.each([
    ["javascript:alert(document.domain)"],
    ["data:text/html,x"],
    ["http://login.example/authorize"],
    ["file:///etc/passwd"],
  ])("an authorization address %s", async (authorization_endpoint) => {
    stage.authority.metadata = { authorization_endpoint };
    const begun = stage.credentials.flow.begin(ANNA, stage.server);
    await expect(begun).rejects.toMatchObject({ name: "CredentialError" });
    await expect(begun).rejects.not.toMatchObject({ message: expect.stringContaining("alert") });
  });

  test.each([
    ["http://tokens.example/token"],
    ["https://169.254.169.254/token"],
    ["https://[::1]/token"],
  ])("a token address %s, before a code is sent there", async (token_endpoint) => {
    stage.authority.metadata = { token_endpoint };
    const begun = stage.credentials.flow.begin(ANNA, stage.server);
    await expect(begun).rejects.toMatchObject({ code: "insecure" });
  });

  test("metadata that name another issuer than their source", async () => {
    stage.authority.metadata = { issuer: "https://honest.example" };
    const begun = stage.credentials.flow.begin(ANNA, stage.server);
    await expect(begun).rejects.toMatchObject({ code: "issuer" });
  });

  test("an issuer other than the operator's", async () => {
    const { guard } = stage.server;
    const pinned = createOAuthServer({
      id: "station",
      url: stage.station.url,
      oauth: { issuer: "https://login.example" },
      guard,
    });
    await expect(stage.credentials.flow.begin(ANNA, pinned)).rejects.toMatchObject({
      code: "issuer",
    });
    await pinned.close();
  });

  test("an authorization server that doesn't announce PKCE", async () => {
    stage.authority.metadata = { code_challenge_methods_supported: undefined };
    const begun = stage.credentials.flow.begin(ANNA, stage.server);
    await expect(begun).rejects.toMatchObject({ code: "incompatible" });
  });

  test("metadata that would request a token for another resource", async () => {
    stage.station.metadata = { resource: "https://bank.example/mcp" };
    const begun = stage.credentials.flow.begin(ANNA, stage.server);
    await expect(begun).rejects.toMatchObject({ code: "resource" });
  });

  test("an authorization server in a network that isn't exempt", async () => {
    await using authority = await new OAuthServer().listen();
    await using station = await serveProtectedStation(authority);
    const guard = createAddressGuard({ exempt: [station.host] });
    const server = createOAuthServer({ id: "station", url: station.url, oauth: {}, guard });
    const begun = stage.credentials.flow.begin(ANNA, server);
    await expect(begun).rejects.toMatchObject({ code: "insecure" });
    await server.close();
  });
});

describe("a token", () => {
  test("is for one server and doesn't apply under another name or address", async () => {
    await stage.login();
    const { guard } = stage.server;
    const url = stage.station.url;
    for (const other of [
      createOAuthServer({ id: "other", url, oauth: {}, guard }),
      createOAuthServer({ id: "station", url: "https://moved.example/mcp", oauth: {}, guard }),
      createOAuthServer({ id: "station", url, oauth: { issuer: "https://x.example" }, guard }),
    ]) {
      expect(await stage.credentials.isConnected(ANNA, other)).toBe(false);
      await other.close();
    }
  });

  test("can't be opened for another user, nor read from the store", async () => {
    await stage.login(ANNA);
    const kv = stage.engine.kv("oauth-tokens");
    const [key = ""] = await collect(kv.keys());
    const entry = await kv.get(key);
    expect(Buffer.from(entry?.value ?? []).toString("latin1")).not.toContain("CANARY");
    await stage.login(BERT);
    const [first = "", second = ""] = await collect(kv.keys());
    const mine = first === key ? second : first;
    await kv.put(mine, entry?.value ?? new Uint8Array());
    expect(await stage.credentials.isConnected(BERT, stage.server)).toBe(false);
    expect(await stage.credentials.isConnected(ANNA, stage.server)).toBe(true);
  });
});
