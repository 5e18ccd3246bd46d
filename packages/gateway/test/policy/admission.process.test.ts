import { request } from "node:http";
import { STATION_VIEW } from "@vitrine/internal/weather-station";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTickets } from "../../src/identity/view-ticket.ts";
import { type GatewayStage, ORIGIN, openStage, TOKEN, upstreamTo } from "../stage.ts";

let stage: GatewayStage;
let ticket: string;
beforeAll(async () => {
  stage = await openStage();
  ({ ticket } = await stage.open(STATION_VIEW));
});
afterAll(() => stage[Symbol.asyncDispose]());

/** With headers that `fetch` would not let one set. */
function knock(headers: Record<string, string>, path = "/servers/station/mcp"): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ port: stage.port, path, method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on("error", reject);
    asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  });
}

const good = () => ({
  host: `localhost:${stage.port}`,
  "content-type": "application/json",
  authorization: `Bearer ${TOKEN}`,
});

describe("admission", () => {
  test("accepts a client that uses the gateway's host name", async () => {
    expect(await knock(good())).toBe(200);
    expect(await knock({ ...good(), host: `127.0.0.1:${stage.port}` })).toBe(200);
    expect(await knock({ ...good(), origin: ORIGIN, "sec-fetch-site": "cross-site" })).toBe(200);
  });

  test.each(["evil.example", "localhost", "localhost:1", "localhost.evil.example"])(
    "not by the name %j, which an attacker's DNS may have given it (G125)",
    async (host) => {
      expect(await knock({ ...good(), host })).toBe(421);
    },
  );

  test.each(["https://evil.example", "null", `${ORIGIN}.evil.example`, "http://chat.example"])(
    "not from a page of %j (G126)",
    async (origin) => {
      expect(await knock({ ...good(), origin })).toBe(403);
      await expect(stage.socket(ticket, { origin })).rejects.toThrow("HTTP 403");
    },
  );

  test("rejects a page without an origin (G126)", async () => {
    expect(await knock({ ...good(), "sec-fetch-site": "same-site" })).toBe(403);
  });

  test("rejects a form, because only JSON is accepted (G126)", async () => {
    expect(await knock({ ...good(), "content-type": "text/plain" })).toBe(415);
    expect(await knock({ ...good(), "content-type": "application/x-www-form-urlencoded" })).toBe(
      415,
    );
  });

  test("only answers known pages across origins", async () => {
    const preflight = (origin: string) =>
      fetch(`${stage.url}/servers/station/mcp`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" },
      });
    const known = await preflight(ORIGIN);
    expect(known.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(known.headers.get("access-control-allow-credentials")).toBeNull();
    const foreign = await preflight("https://evil.example");
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("a View's ticket", () => {
  const use = (value: string, server = "station") =>
    stage.post("tools/list", {}, { server, token: null, headers: { "vitrine-view": value } });

  test("only works for its own server (G128, G129, GW-06)", async () => {
    expect((await use(ticket)).status).toBe(200);
    stage.gateway.setServer("second", { upstream: upstreamTo(new URL("http://127.0.0.1:9/mcp")) });
    expect((await use(ticket, "second")).body.error.data.reason).toBe("ticket-foreign");
  });

  test("can't be forged with another key, another algorithm or a changed character (G128)", async () => {
    const forger = createTickets({ keys: [{ id: "a", secret: new Uint8Array(32).fill(8) }] });
    const claims = { tenant: "dev", user: "developer", server: "station", resource: STATION_VIEW };
    const forged = await forger.issue({ ...claims, htmlHash: "", policyHash: "", toolsHash: "" });
    const [head, body, signature] = ticket.split(".") as [string, string, string];
    const none = Buffer.from(JSON.stringify({ alg: "none", kid: "a" })).toString("base64url");
    for (const value of [
      forged.ticket,
      `${none}.${body}.`,
      `${head}.${body}.${signature.slice(0, -2)}AA`,
      `${head}.${Buffer.from('{"user":"root"}').toString("base64url")}.${signature}`,
      "x",
      "a.b.c",
    ]) {
      expect((await use(value)).status).toBe(401);
    }
  });

  test("expires, on an open socket as well (G128)", async () => {
    let now = Date.now();
    const tickets = createTickets({
      keys: [{ id: "a", secret: new Uint8Array(32).fill(7) }],
      lifetime: 1,
      clock: () => now,
    });
    await using short = await openStage({ tickets });
    const { ticket: brief } = await short.open(STATION_VIEW);
    const socket = await short.socket(brief);
    expect((await socket.request("ping")).result).toEqual({});
    now += 5000;
    // A page can't read an upgrade's status, so the socket is opened only to send the close code.
    const late = await short.socket(brief);
    await expect.poll(() => late.closed).toBe(4401);
    expect(late.received).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    socket.send({ jsonrpc: "2.0", id: "late", method: "ping" });
    await expect.poll(() => socket.closed).toBe(4401);
  });

  test("opens neither other Views nor grants, which only the user's page can", async () => {
    for (const path of ["views", "grants"]) {
      const answer = await fetch(`${stage.url}/servers/station/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "vitrine-view": ticket },
        body: JSON.stringify({ resource: STATION_VIEW, tool: "forecast", scope: "always" }),
      });
      expect(answer.status).toBe(401);
    }
  });
});
