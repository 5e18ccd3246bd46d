// A call that another gateway carries out, because it owns the session, keeps the identity of its user (O9).

import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { type NatsServers, startNats } from "@vitrine/internal/nats-server";
import { serveSessions } from "@vitrine/internal/session-servers";
import { stationServer1 } from "@vitrine/internal/station-servers";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { identityVerifier } from "../../gateway/test/identity/identity-claims.ts";
import { startIssuer } from "../../gateway/test/security/token-issuer.ts";
import { openServiceStage } from "../../gateway/test/service/stage.ts";
import { freshPrefix } from "./nats/stage.ts";

let servers: NatsServers;
beforeAll(async () => {
  servers = await startNats({ nodes: 1 });
}, 60_000);
afterAll(() => servers?.stop());

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

const ISSUER = "https://gw.example";

/** Passes everything on to a server, and keeps the identities that it received. */
async function recordIdentities(target: URL) {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    seen.push(`${incoming.headers["vitrine-identity"]}`);
    const { method = "", headers } = incoming;
    const onward = request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    [Symbol.asyncDispose]: async () => {
      server.close().closeAllConnections();
    },
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

it("keeps the identity of a call that another gateway carries out", async () => {
  const station = await serveSessions(() => stationServer1().server);
  const issuer = await startIssuer();
  open.push(station, issuer);
  const { seen, url } = await recordIdentities(station.url);
  const prefix = freshPrefix();
  const launch = async (node: string) => {
    const stage = await openServiceStage({
      listen: { port: 0, publicUrl: ISSUER },
      auth: {
        ...{ mode: "jwt", issuer: issuer.issuer, audience: "vitrine" },
        ...{ jwks: `${issuer.issuer}/jwks`, groupsClaim: "groups" },
      },
      engine: { driver: "nats", servers: servers.urls, prefix, node },
      servers: {
        station: {
          ...{ url, private: true, era: "legacy" },
          identity: { kind: "assertion", groups: true },
        },
      },
      drain: { time: 100 },
    });
    open.push(stage);
    return stage;
  };
  const [one, two] = [await launch("one"), await launch("two")];
  const now = Math.floor(Date.now() / 1000);
  const verify = identityVerifier(one.service.url);
  for (const user of ["alice", "bob"]) {
    const token = await issuer.token(user, now + 600, { iat: now, groups: [`${user}s group`] });
    for (const stage of [one, two]) {
      const before = seen.length;
      const { status } = await stage.post("tools/list", {}, { token });
      expect(status).toBe(200);
      const used = seen.slice(before);
      expect(used.length).toBeGreaterThan(0);
      for (const identity of used) {
        const claims = await verify(identity, { issuer: ISSUER, audience: url });
        expect(claims).toMatchObject({ sub: user, groups: [`${user}s group`] });
      }
    }
  }
  // One session for each user, so one of the two gateways routed its calls to the other.
  expect(station.opened).toBe(2);
}, 60_000);
