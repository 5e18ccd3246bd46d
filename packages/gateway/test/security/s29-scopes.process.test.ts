import { expect, test } from "vitest";
import { createOAuthServer } from "../../src/identity/credentials/authority.ts";
import { createAddressGuard, createHttpUpstream } from "../../src/upstreams/index.ts";
import { ANNA, openCredentialStage } from "../identity/stage.ts";

test("S29: a server can't widen a login beyond the scopes that the operator allows", async () => {
  await using stage = await openCredentialStage();
  const { station, authority, credentials } = stage;
  const guard = createAddressGuard({ exempt: [station.host, authority.host] });
  const oauth = { scopes: ["read", "list"] };
  const server = createOAuthServer({ id: "station", url: station.url, oauth, guard });
  const http = createHttpUpstream({ id: "station", url: station.url, guard });
  const upstream = credentials.wrap(http, server);
  station.metadata = { scopes_supported: ["read", "admin"] };
  const begin = async (): Promise<URL> => {
    const { url } = await credentials.flow.begin(ANNA, server);
    return new URL(url);
  };
  const back = await authority.open(`${await begin()}`);
  const answer = Object.fromEntries(back.searchParams) as { state: string; code: string };
  const { confirmation = "" } = await credentials.flow.arrive("station", answer);
  await credentials.flow.confirm(ANNA, server, confirmation);
  // The server refuses the token, and names the scopes it would like.
  station.scope = "delete:all";
  await expect(stage.call(ANNA, upstream)).rejects.toMatchObject({ code: "unauthorized" });
  expect((await begin()).searchParams.get("scope")?.split(" ").sort()).toEqual(["list", "read"]);
  await upstream.close();
});
