// Logins are limited: each one asks an authorization server and is stored until it expires.

import { afterEach, beforeEach, expect, test } from "vitest";
import { OAuthServer, serveProtectedStation } from "../identity/oauth-server.ts";
import { ANNA, BERT, type CredentialStage, openCredentialStage } from "../identity/stage.ts";
import { freePort, openServiceStage, TOKEN } from "../service/stage.ts";

let stage: CredentialStage;
let now: number;
beforeEach(async () => {
  now = Date.now();
  stage = await openCredentialStage({ clock: () => now });
});
afterEach(() => stage[Symbol.asyncDispose]());

const begin = (user = ANNA): Promise<string> =>
  stage.credentials.flow.begin(user, stage.server).then(
    () => "begun",
    ({ code }) => code,
  );

test("S28: a user who asks for a login again and again gets 429 and costs the authorization server nothing", async () => {
  const authority = await new OAuthServer().listen();
  const station = await serveProtectedStation(authority);
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  {
    await using service = await openServiceStage({
      listen: { port, publicUrl },
      servers: {
        station: { url: station.url, private: true, oauth: { issuer: authority.issuer } },
      },
    });
    const headers = { authorization: `Bearer ${TOKEN}` };
    const address = `${service.service.url}/servers/station/connect`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => fetch(address, { headers })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(authority.discoveries).toBe(1);
  }
  await station[Symbol.asyncDispose]();
  await authority[Symbol.asyncDispose]();
});

test("S28: one user's flood leaves another's login alone", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => begin()));
  expect(all.filter((code) => code === "rate").length).toBeGreaterThanOrEqual(20);
  expect(await begin(BERT)).toBe("begun");
});

test("S28: unfinished logins of a user are capped until they expire", async () => {
  const seen: string[] = [];
  for (let round = 0; round < 25; round++) {
    now += 3000;
    seen.push(await begin());
  }
  expect(seen.filter((code) => code === "begun")).toHaveLength(20);
  expect(await begin(BERT)).toBe("begun");
  let kept = 0;
  for await (const _key of stage.engine.kv("oauth-begun").keys()) kept += 1;
  expect(kept).toBe(21);
  now += 10 * 60_000;
  expect(await begin()).toBe("begun");
});

test("S28: unfinished logins of all users together are capped", async () => {
  await using small = await openCredentialStage({ clock: () => now, limits: { pending: 3 } });
  const seen: string[] = [];
  for (let n = 0; n < 5; n++) {
    const user = { tenant: "t", user: `u${n}` };
    seen.push(
      await small.credentials.flow.begin(user, small.server).then(
        () => "begun",
        ({ code, retryAfter }) => `${code} ${retryAfter > 0}`,
      ),
    );
  }
  expect(seen).toEqual(["begun", "begun", "begun", "rate true", "rate true"]);
});

test("S28: many users who log in at once share one discovery", async () => {
  const users = Array.from({ length: 20 }, (_, n) => ({ tenant: "t", user: `u${n}` }));
  expect(new Set(await Promise.all(users.map(begin)))).toEqual(new Set(["begun"]));
  expect(stage.authority.discoveries).toBe(1);
  expect(stage.authority.registrations).toHaveLength(1);
});
