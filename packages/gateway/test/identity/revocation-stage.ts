// Everything that a user can have open at a gateway, and how long it takes until all of it is gone.

import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { serveRaw, tool } from "../raw-server.ts";
import type { TokenIssuer } from "../security/token-issuer.ts";
import { openServiceStage, type ServiceStage } from "../service/stage.ts";
import { META, TestSocket } from "../stage.ts";

const VIEW = "ui://raw/view.html";
const HOUR = 3600;
const seconds = (): number => Date.now() / 1000;

/** A server with a tool that answers at once and one that never does. */
export async function serveSlowly() {
  const raw = await serveRaw([
    tool("read", { annotations: { readOnlyHint: true } }),
    tool("hang", { annotations: { readOnlyHint: true } }),
  ]);
  const { "tools/call": call } = raw.answers;
  raw.answers["tools/call"] = async (params, body) => {
    if (params.name === "hang") await sleep(60_000, undefined, { ref: false });
    return call?.(params, body);
  };
  return raw;
}

/** A gateway whose users come from an issuer. */
export function openGateway(
  issuer: TokenIssuer,
  raw: { url: URL },
  more: { engine?: object; folder?: string } = {},
): Promise<ServiceStage> {
  const { folder, ...config } = more;
  return openServiceStage(
    {
      auth: {
        mode: "jwt",
        issuer: issuer.issuer,
        audience: "vitrine",
        jwks: `${issuer.issuer}/jwks`,
      },
      servers: { raw: { url: raw.url.href, private: true } },
      drain: { time: 100 },
      ...config,
    },
    folder === undefined ? {} : { folder },
  );
}

/** What one user has at one gateway. */
export interface OpenThings {
  token: string;
  ticket: string;
  /** Which of the things still work. */
  alive(): Promise<string[]>;
}

export async function openEverything(stage: ServiceStage, token: string): Promise<OpenThings> {
  const { url } = stage.service;
  const opened = await fetch(`${url}/servers/raw/views`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ resource: VIEW }),
  });
  const { ticket } = (await opened.json()) as { ticket: string };
  const connect = async (credential: string): Promise<TestSocket> => {
    const address = `${url.replace("http", "ws")}/servers/raw/mcp`;
    const socket = new TestSocket(new WebSocket(address, ["vitrine.mcp.v1", credential]));
    await socket.until((message) => message.vitrine === "welcome");
    return socket;
  };
  const [asUser, asView] = [await connect(`token.${token}`), await connect(`ticket.${ticket}`)];
  // A View whose connection broke in the middle of a call: the call goes on for a while.
  const call = { name: "hang", arguments: {}, _meta: META };
  asUser.send({ jsonrpc: "2.0", id: "slow", method: "tools/call", params: call });
  let [isStreaming, isCalling] = [true, true];
  const streams = { notifications: { toolsListChanged: true } };
  const streamEnds = (): void => {
    isStreaming = false;
  };
  const callEnds = (): void => {
    isCalling = false;
  };
  const sender = { server: "raw", token };
  stage.post("subscriptions/listen", streams, sender).then(streamEnds, streamEnds);
  stage.post("tools/call", call, sender).then(callEnds, callEnds);
  let isCombined = true;
  const combinedEnds = (): void => {
    isCombined = false;
  };
  const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" };
  fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", authorization: `Bearer ${token}` },
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    },
    body: JSON.stringify({ ...listen, params: { _meta: META, ...streams } }),
  })
    .then((response) => response.text())
    .then(combinedEnds, combinedEnds);
  const status = async (headers: Record<string, string>): Promise<boolean> =>
    (await stage.post("tools/list", {}, { server: "raw", headers })).status === 200;
  return {
    token,
    ticket,
    alive: async () => {
      const asToken = { authorization: `Bearer ${token}` };
      const things: [name: string, isAlive: boolean][] = [
        ["token", await status(asToken)],
        ["ticket", await status({ authorization: "", "vitrine-view": ticket })],
        ["list", (await fetch(`${url}/servers`, { headers: asToken })).status === 200],
        ["user's socket", asUser.closed === undefined],
        ["view's socket", asView.closed === undefined],
        ["stream", isStreaming],
        ["stream of /mcp", isCombined],
        ["call", isCalling],
      ];
      return things.filter(([, isAlive]) => isAlive).map(([name]) => name);
    },
  };
}

export const EVERYTHING = [
  ...["token", "ticket", "list", "user's socket", "view's socket", "stream"],
  ...["stream of /mcp", "call"],
];

/** A token from a moment ago: of two tokens of one second, nobody knows which was issued first. */
export function tokenOf(issuer: TokenIssuer, user: string, age = 10): Promise<string> {
  return issuer.token(user, Math.floor(seconds()) + HOUR, { iat: Math.floor(seconds()) - age });
}

/** Milliseconds until nothing of it works any more. */
export async function timeToEnd(things: readonly OpenThings[], since: number): Promise<number> {
  for (;;) {
    const alive = (await Promise.all(things.map((each) => each.alive()))).flat();
    if (alive.length === 0) return performance.now() - since;
    if (performance.now() - since > 10_000) throw new Error(`Still works: ${alive.join(", ")}`);
    await sleep(10);
  }
}
