// What a server has to do through the gateway: asked by the official client over HTTP, and by a Host for
// its View over a WebSocket.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openGatewayUpstream } from "@vitrine/host/gateway";
import type { InteropStage } from "./stage.ts";

/** The checked property, and the reason if it doesn't hold. */
export const CHECKS = ["tools/list", "call", "progress", "cancel", "ui://", "View"] as const;
export type Check = (typeof CHECKS)[number];
export type Outcome = Record<Check, string | undefined>;

const VIEW = "ui://interop/view.html";
const PATIENCE = 20_000;

type Progress = { progress: number; total?: number | undefined };

/** Nothing could be looked at. */
export function allFailed(reason: string): Outcome {
  return Object.fromEntries(CHECKS.map((name) => [name, reason])) as Outcome;
}

/** Looks at one server. */
export async function probe(stage: InteropStage, server: string): Promise<Outcome> {
  const client = new Client(
    { name: "interop", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const url = new URL(`${stage.gateway}/servers/${server}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${stage.token}` } };
  const outcome = {} as Outcome;
  const check = async (name: Check, run: () => Promise<void>): Promise<void> => {
    outcome[name] = await reasonOf(run());
  };
  const connected = await reasonOf(
    client.connect(new StreamableHTTPClientTransport(url, { requestInit })),
  );
  if (connected !== undefined) return allFailed(`connect: ${connected}`);
  await check("tools/list", () => listsTools(client));
  await check("call", () => calls(client));
  await check("progress", () => tellsProgress(client));
  await check("cancel", () => cancels(client));
  await check("ui://", () => readsView(client));
  await check("View", () => servesView(stage, server, client));
  await client.close();
  return outcome;
}

async function listsTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).sort();
  same(names, ["cancelled", "count", "show", "wait"]);
  const ui = tools.find(({ name }) => name === "show")?._meta?.ui as { resourceUri?: string };
  same(ui?.resourceUri, VIEW);
}

async function calls(client: Client): Promise<void> {
  const result = await client.callTool({ name: "show", arguments: { text: "Grüße ✓" } });
  same(textOf(result), "Grüße ✓");
}

async function tellsProgress(client: Client): Promise<void> {
  const seen: Progress[] = [];
  const onprogress = (progress: Progress): void => void seen.push(progress);
  const result = await client.callTool({ name: "count", arguments: {} }, { onprogress });
  same(textOf(result), "counted");
  same(
    seen.map(({ progress, total }) => [progress, total]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  );
}

async function cancels(client: Client): Promise<void> {
  const id = crypto.randomUUID();
  const over = new AbortController();
  const call = client.callTool(
    { name: "wait", arguments: { id } },
    { signal: over.signal, onprogress: () => over.abort() },
  );
  same(await reasonOf(call).then((reason) => reason !== undefined), true);
  await untilCancelled(client, id);
}

async function readsView(client: Client): Promise<void> {
  const { contents } = await client.readResource({ uri: VIEW });
  const [content] = contents;
  same([content?.uri, content?.mimeType], [VIEW, "text/html;profile=mcp-app"]);
  same(content && "text" in content && content.text.includes("<title>interop"), true);
}

/** The way of a Host: the View is opened, and what it calls goes over a WebSocket. */
async function servesView(stage: InteropStage, server: string, client: Client): Promise<void> {
  const upstream = await openGatewayUpstream({
    gateway: stage.gateway,
    server,
    resource: VIEW,
    token: () => stage.token,
  });
  try {
    const seen: number[] = [];
    const counted = await upstream.request(
      "tools/call",
      { name: "count", arguments: {} },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    same(textOf(counted), "counted");
    same(seen, [1, 2, 3]);
    same(upstream.carrier, "websocket");
    const id = crypto.randomUUID();
    const over = new AbortController();
    const waiting = upstream.request(
      "tools/call",
      { name: "wait", arguments: { id } },
      { signal: over.signal, onprogress: () => over.abort(new Error("enough")) },
    );
    same(await reasonOf(waiting), "enough");
    await untilCancelled(client, id);
  } finally {
    upstream.close();
  }
}

/** The server reports which calls it was asked to stop. */
async function untilCancelled(client: Client, id: string): Promise<void> {
  const end = performance.now() + 5000;
  let listed = "";
  while (performance.now() < end) {
    listed = textOf(await client.callTool({ name: "cancelled", arguments: {} }));
    if ((JSON.parse(listed) as string[]).includes(id)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the server didn't receive the cancellation");
}

function textOf(result: unknown): string {
  const { content, isError } = result as { content: { text?: string }[]; isError?: boolean };
  if (isError) throw new Error(`isError: ${content[0]?.text}`);
  return content[0]?.text ?? "";
}

function same(found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${one} instead of ${other}`);
}

/** Why it failed; nothing if it did not. */
async function reasonOf(promise: Promise<unknown>): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no end in time")), PATIENCE);
  });
  try {
    await Promise.race([promise, late]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
