import { spawnSync } from "node:child_process";
import { hkdfSync } from "node:crypto";
import { closeSync, openSync, readlinkSync, rmSync, statSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "../stage.ts";
import {
  CANARY,
  CHILD_USER,
  GATEWAY_USER,
  obstacle,
  outcomeOf,
  type Site,
  type Starter,
  startSite,
  unreadableNode,
  untilUp,
} from "./s19-stage.ts";

const why = obstacle();
const STARTERS: [string, Starter][] = [
  ["as root", "root"],
  ["without root", "capable"],
];
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const denied = { error: expect.stringMatching(/Permission denied|Operation not permitted/) };

/** Tries to become a user of another tenant with a key. */
async function forge(site: Site, key: string): Promise<number> {
  const authorization = `Bearer ${await site.token("bravo", "mallory")}`;
  const opened = await site.request(
    "/servers/hostile/views",
    { authorization },
    { resource: "ui://hostile/view" },
  );
  const { ticket } = (await opened.json()) as { ticket: string };
  const secret = new Uint8Array(hkdfSync("sha256", Buffer.from(key), "", "vitrine ticket", 32));
  const { alg = "", kid = "", typ = "" } = decodeProtectedHeader(ticket);
  const forged = await new SignJWT({
    ...decodeJwt(ticket),
    tenant: "alpha",
    user: "eve",
    jti: "forged",
  })
    .setProtectedHeader({ alg, kid, typ })
    .sign(secret);
  const answer = await site.request(
    "/servers/hostile/mcp",
    { "vitrine-view": forged, "mcp-protocol-version": "2025-11-25" },
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  );
  return answer.status;
}

describe.skipIf(why)(
  `a hostile stdio server${why ? ` (skipped: ${why})` : ""}`,
  { timeout: 60_000 },
  () => {
    test.for(STARTERS)(
      "S19: can't read keys, environment or memory of a gateway started %s",
      async ([, starter]) => {
        const site = await startSite(starter, { environment: { UNRELATED: CANARY } });
        await untilUp(site);
        const found = await site.call("probe");
        const ids = Array(3).fill(CHILD_USER);
        expect(found).toMatchObject({ uid: ids, gid: ids, noNewPrivs: "1", cwd: "/" });
        expect(found.groups.filter((group: number) => group !== CHILD_USER)).toEqual([]);
        expect(new Set(found.capabilities)).toEqual(new Set(["0".repeat(16)]));
        expect(Object.keys(found.environment).sort()).toEqual(
          ["HOME", "LC_CTYPE", "LOGNAME", "PATH", "USER"].filter(
            (name) => name in found.environment,
          ),
        );
        expect(found.environment.HOME).not.toBe("/nonexistent");
        for (const [fd, target] of Object.entries<string>(found.descriptors)) {
          expect([Number(fd) <= 2, target]).toEqual([
            true,
            expect.stringMatching(/^(pipe|socket):/),
          ]);
        }
        const { attempts } = found;
        expect(Object.keys(attempts).filter((name) => name.startsWith("read /"))).toHaveLength(12);
        for (const [name, result] of Object.entries(attempts)) {
          const isGone =
            (result as Json).error === "No such process" ||
            (result as Json).error === "No such file or directory";
          // Processes of root's come and go during the test.
          if (name.startsWith("kin ") && isGone) continue;
          expect({ [name]: result }).toEqual({ [name]: denied });
        }
        // Nothing that it could read holds a key, and nothing that it read makes a ticket.
        const loot = JSON.stringify(found);
        const real = new Map<string, string>();
        for (const name of await readdir(site.keys)) {
          const secret = (await readFile(join(site.keys, name), "utf8")).trim();
          real.set(name, secret);
          expect([name, loot.includes(secret)]).toEqual([name, false]);
        }
        for (const word of new Set(loot.match(/[\w+/=-]{32,}/g)))
          expect(await forge(site, word)).toBe(401);
        expect(await forge(site, real.get("audit.key") ?? "")).toBe(401);
        // The attack itself works: with the right key the gateway believes it.
        expect(await forge(site, real.get("ticket.key") ?? "")).toBe(200);
      },
    );

    test("S19: a gateway without root is undumpable, so its own user's other processes can't read it", async () => {
      const site = await startSite("capable");
      await untilUp(site);
      expect(statSync(`/proc/${site.pid}/environ`).uid).toBe(0);
      const reader = ["--reuid", `${GATEWAY_USER}`, "--regid", `${GATEWAY_USER}`, "--clear-groups"];
      const plain = ["--inh-caps=-all", "/bin/sh", "-c", `exec cat /proc/${site.pid}/environ`];
      const { stdout, stderr } = spawnSync("/usr/bin/setpriv", [...reader, ...plain], {
        encoding: "utf8",
      });
      expect([stdout, stderr]).toEqual(["", expect.stringContaining("Permission denied")]);
      expect(site.output()).not.toContain("can read the gateway's memory");
    });

    test("S19: a gateway without capabilities is undumpable if its user can't read node, or warns that it isn't", async () => {
      const config = { servers: { away: { url: "https://mcp.example/mcp" } } };
      const hidden = await startSite("plain", { config, node: await unreadableNode() });
      const readable = await startSite("plain", { config });
      await untilUp(hidden);
      await untilUp(readable);
      const owners = [hidden, readable].map(({ pid }) => statSync(`/proc/${pid}/environ`).uid);
      expect(owners).toEqual([0, GATEWAY_USER]);
      const isTold = [hidden, readable].map((site) =>
        site.output().includes("can read the gateway's memory"),
      );
      expect(isTold).toEqual([false, true]);
    });

    test.for(STARTERS)(
      "S19: a server of another user restarts after a crash and ends with a gateway started %s",
      async ([, starter]) => {
        const site = await startSite(starter, { args: ["--stubborn"] });
        await untilUp(site);
        const { pid: first } = await site.call("probe");
        await site.call("crash");
        const { pid: second } = await site.call("probe");
        expect([second === first, isAlive(first), isAlive(second)]).toEqual([false, false, true]);
        // It ignores the end of its input and SIGTERM.
        site.gateway.kill("SIGTERM");
        expect(await site.exited).toBe(0);
        expect(isAlive(second)).toBe(false);
      },
    );

    test("S19: a server of another user doesn't outlive a gateway that is killed", async () => {
      const site = await startSite("capable", { args: ["--stubborn"] });
      await untilUp(site);
      const { pid } = await site.call("probe");
      site.gateway.kill("SIGKILL");
      await site.exited;
      await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    });

    test("S19: secrets come by descriptor, and no descriptor of the gateway reaches a server", async () => {
      const path = join("/tmp", `vitrine-s19-${process.pid}`);
      await writeFile(path, CANARY, { mode: 0o600 });
      const [one, two, three] = [openSync(path, "r"), openSync(path, "r"), openSync(path, "r")];
      onTestFinished(() => {
        for (const fd of [one, two, three]) closeSync(fd);
        rmSync(path);
      });
      const site = await startSite("root", {
        descriptors: { 3: one, 20: two, 40: three },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the gateway fills it in.
        config: { operator: { port: 0, token: "${file:/dev/fd/3}" } },
      });
      await untilUp(site);
      const { descriptors } = await site.call("probe");
      expect(Object.keys(descriptors).filter((fd) => Number(fd) > 2)).toEqual([]);
      const open = (await readdir(`/proc/${site.pid}/fd`)).map((fd) => {
        try {
          return readlinkSync(`/proc/${site.pid}/fd/${fd}`);
        } catch {
          return "closed during the read";
        }
      });
      expect(open).not.toContain(path);
    });

    test.for<[string, Starter, Record<string, Json>, string]>([
      [
        "without the capabilities to change users",
        "plain",
        {},
        "capabilities SETUID, SETGID and KILL",
      ],
      ["by a gateway that couldn't end it", "unable to kill", {}, "lacks CAP_KILL"],
      ["as the gateway's own user", "capable", { user: `${GATEWAY_USER}` }, "gateway's own user"],
      ["in the gateway's own group", "capable", { user: `1600:${GATEWAY_USER}` }, "gateway's own"],
      ["as root", "root", { user: "0:0" }, "servers never run as"],
      ["as a user that doesn't exist", "root", { user: "nobody-of-that-name" }, "useradd --system"],
    ])("S19: a server isn't started %s", async ([, starter, server, words]) => {
      const site = await startSite(starter, { server });
      expect(await outcomeOf(site)).toBe(2);
      expect(site.output()).toContain("servers.hostile.user: ");
      expect(site.output()).toContain(words);
    });
  },
);
