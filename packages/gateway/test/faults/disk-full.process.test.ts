// The disk under the whole gateway is full: calls that can't be recorded aren't executed, the operator is
// informed, and the gateway recovers when there is space again.

import { mkdir, rm } from "node:fs/promises";
import { expect, test } from "vitest";
import { openSite, type RunningGateway, type Site, startGateway } from "./gateway-process.ts";
import { canMount, fill, onSmallDisk, seenBy } from "./small-disk.ts";

async function ask(address: string): Promise<string> {
  const answer = await fetch(address);
  return `${answer.status} ${await answer.text()}`;
}

/** A gateway whose folder is a disk of two megabytes. */
async function openSmall(mode: string): Promise<{ site: Site; gateway: RunningGateway }> {
  const outside = await openSite({ config: { audit: { level: "full", mode } } });
  await mkdir(outside.data);
  const wrapper = onSmallDisk(outside.data, "2m");
  const gateway = await startGateway(outside, { wrapper });
  return { site: outside.seenAt(seenBy(gateway, outside.data)), gateway };
}

test.runIf(canMount()).each(["spool", "wait"])(
  "a full disk refuses calls with a reason until there is room again, without a restart (%s)",
  { timeout: 60_000 },
  async (mode) => {
    const { site, gateway } = await openSmall(mode);
    const socket = await site.socket(await site.ticket());
    let made = 0;
    const call = async () => {
      const given = { call: `n${++made}` };
      const { result, error } = await socket.request("tools/call", {
        name: "look",
        arguments: given,
      });
      return result ? "answered" : `${error.data.reason}: ${error.message}`;
    };
    const refused =
      "audit-full: The request can't be written to the audit log, so it wasn't executed. Try again later.";
    expect(await call()).toBe("answered");
    expect(await ask(`${site.operator}/readyz`)).toBe("200 ready\n");

    const ballast = await fill(site.data);
    // Without waiting for the disk the log finds out with the first record that does not fit.
    await expect.poll(call, { timeout: 10_000 }).toBe(refused);
    const executed = (await site.journal()).length;
    for (let n = 0; n < 20; n++) expect(await call()).toBe(refused);
    expect((await site.journal()).length).toBe(executed);
    for (const address of [site.operator, site.url]) {
      expect(await ask(`${address}/readyz`)).toMatch(/^503 audit failing\n/);
      expect(await ask(`${address}/healthz`)).toBe("200 ok\n");
    }
    expect(await ask(`${site.operator}/metrics`)).toContain("vitrine_audit_failing 1");
    expect(gateway.out()).toContain(`"msg":"audit records can't be stored"`);
    // A permission that cannot be kept is not given, and a View not opened that cannot be recorded.
    const given = await site.post("/servers/counter/grants", { tool: "count", scope: "always" });
    expect(given).toMatchObject({ status: 503, body: { error: { data: { reason: "busy" } } } });
    const opened = await site.post("/servers/counter/views", {
      resource: "ui://counter/view.html",
    });
    expect(opened).toMatchObject({
      status: 503,
      body: { error: { data: { reason: "audit-full" } } },
    });

    await rm(ballast);
    await expect.poll(call, { timeout: 10_000 }).toBe("answered");
    await expect
      .poll(() => ask(`${site.operator}/readyz`), { timeout: 10_000 })
      .toBe("200 ready\n");
    expect(gateway.out()).toContain('"msg":"audit records are being stored again"');
    // The chain contains both executed and refused calls.
    const executedCalls = (await site.journal()).map(({ call }) => call);
    const recorded = async (verdict: string) => {
      const records = await site.records();
      const decided = records.filter(({ tool, decision }) => tool && decision?.verdict === verdict);
      return decided.map((record) => (record.arguments as { call: string }).call);
    };
    await expect
      .poll(() => recorded("allow"), { timeout: 5000 })
      .toEqual(expect.arrayContaining(executedCalls));
    // The first denial is recorded by itself; those that are like it are counted when their time is over.
    const denied = async (): Promise<number> => {
      const records = await site.records();
      const counted = records.filter(({ event }) => event === "denials");
      const single = records.filter(({ tool, decision }) => tool && decision?.verdict === "deny");
      const counts = counted.map(({ repeats }) => repeats?.count ?? 0);
      return single.length + counts.reduce((sum, count) => sum + count, 0);
    };
    await expect.poll(denied, { timeout: 20_000 }).toBeGreaterThanOrEqual(20);
    expect(await site.verify()).toMatchObject({ code: 0 });
    expect(await gateway.end("SIGTERM")).toBe(0);
  },
);

test.runIf(canMount())("a gateway doesn't start on a full disk, and explains why", async () => {
  const site = await openSite();
  await mkdir(site.data);
  const mount =
    'mount -t tmpfs -o size=64k tmpfs "$0" && (cat /dev/zero >"$0/ballast" 2>/dev/null; exec "$@")';
  const wrapper = ["unshare", "-rm", "sh", "-c", mount, site.data];
  const failed = startGateway(site, { wrapper });
  await expect(failed).rejects.toThrow(
    /It ended with 2: engine\.folder: There is no space left for/,
  );
});
