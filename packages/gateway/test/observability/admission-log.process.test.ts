import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { readAudit } from "../../src/audit/index.ts";
import { openSqliteReader } from "../../src/engine/index.ts";
import { collect, openServiceStage, type ServiceStage, TOKEN } from "../service/stage.ts";

let stage: ServiceStage;
afterEach(() => stage[Symbol.asyncDispose]());

const file = { engine: { driver: "sqlite", folder: "data" } };

/** How an attempt to come in ended. */
function knock(protocols: string[], { server = "station", origin = "" } = {}): Promise<string> {
  const url = `${stage.service.url.replace("http", "ws")}/servers/${server}/mcp`;
  const options = origin ? { headers: { origin } } : {};
  const socket = new WebSocket(url, ["vitrine.mcp.v1", ...protocols], options);
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("unexpected-response", (_request, { statusCode }) => resolve(`${statusCode}`));
    socket.once("close", (code) => resolve(`${code}`));
  });
}

async function denied() {
  const { log } = openSqliteReader({ folder: join(stage.folder, "data") });
  const records = await collect(readAudit({ log }));
  return records.filter(({ decision }) => decision?.link === "admission");
}

describe("a rejected client", () => {
  test("is in the log and the audit log with reason and address, but without its credentials", async () => {
    stage = await openServiceStage(file);
    const ticket = "CANARY.CANARYTICKET0123456789.CANARY";
    expect(await knock([`ticket.${ticket}`])).toBe("4401");
    expect(await knock(["token.CANARY-token-that-nobody-gave"])).toBe("401");
    expect(await knock([])).toBe("401");
    expect(await knock([], { origin: "https://CANARY.example" })).toBe("403");
    expect(await knock([`token.${TOKEN}`], { server: "nowhere" })).toBe("404");
    const answer = await stage.post("ping", {}, { token: "CANARY-token-over-http-0123456789" });
    expect(answer.status).toBe(401);
    await stage.service.close();
    const codes = [
      "ticket-invalid",
      "unauthenticated",
      "unauthenticated",
      "foreign-origin",
      "unknown-server",
    ];
    const told = stage.log.filter(({ msg, carrier }) => msg === "connection rejected" && carrier);
    expect(told.map(({ code }) => code)).toEqual(codes);
    expect(told[0]).toMatchObject({ carrier: "websocket", server: "station" });
    const found = await denied();
    expect(found.map(({ decision }) => decision?.code)).toEqual([...codes, "unauthenticated"]);
    for (const { detail } of found) {
      expect(detail).toMatchObject({ remote: expect.stringMatching(/127\.0\.0\.1|::1/) });
    }
    expect(found.at(-1)?.detail).toMatchObject({ carrier: "http" });
    expect(stage.logText()).not.toContain("CANARY");
    expect(JSON.stringify(found)).not.toContain("CANARY");
  });

  test("can't fill the disk: a few attempts per second are recorded, the others counted", async () => {
    stage = await openServiceStage(file);
    const answers = await Promise.all(Array.from({ length: 300 }, () => knock([])));
    expect(new Set(answers)).toEqual(new Set(["401"]));
    await stage.service.close();
    const found = await denied();
    const more = found.map(({ detail }) => (detail as { more?: number }).more ?? 0);
    const each = more.filter((count) => count === 0).length;
    const counted = more.reduce((sum, count) => sum + count, 0);
    expect(each + counted).toBe(300);
    expect(found.length).toBeLessThan(120);
  });
});
