// Off-boarding ends what belongs to a user outside the gateway's own memory: processes and logins (O8).

import { expect, test } from "vitest";
import { ANNA, BERT, openCredentialStage } from "../identity/stage.ts";
import { processes, program } from "../upstreams/programs.ts";
import { openAdminStage } from "./stage.ts";

test("a process that belongs to the user alone ends", { timeout: 60_000 }, async () => {
  const mark = `off-boarding-${process.pid}`;
  await using stage = await openAdminStage({
    servers: { own: { command: program("station-stdio", mark) } },
  });
  expect((await stage.post("tools/list", {}, { server: "own" })).status).toBe(200);
  expect(processes({ mark }).length).toBeGreaterThan(0);
  const user = { tenant: "dev", user: "developer" };
  const { body } = await stage.change("/users/revoke", { ...user, block: true });
  expect(body).toMatchObject({ isBlocked: true, failed: [] });
  await expect.poll(() => processes({ mark }), { timeout: 20_000 }).toEqual([]);
});

test("a user's login is deleted in every process and revoked at the issuer, and no other user's", async () => {
  await using stage = await openCredentialStage();
  const other = stage.another();
  await stage.login(ANNA);
  await stage.login(BERT);
  expect(await stage.call(ANNA, other.upstream)).toContain("Graz");
  expect(await stage.credentials.remove(ANNA, stage.server)).toBe(true);
  expect(stage.authority.revocations.length).toBeGreaterThan(0);
  await expect(stage.call(ANNA)).rejects.toMatchObject({ code: "unauthorized" });
  await expect
    .poll(() => stage.call(ANNA, other.upstream).catch(({ code }) => code))
    .toBe("unauthorized");
  expect(await stage.call(BERT)).toContain("Graz");
  expect(await stage.credentials.remove(ANNA, stage.server)).toBe(false);
});
