// `vitrine chat --gateway`: who gets a chat, and the messages for everyone else.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type ChatGateway, startChatGateway } from "../../../../examples/chat/src/gateway.ts";
import { openGatewaySession } from "../../src/chat/gateway/gateway-session.ts";
import { readGatewayAddress, readGatewayUser } from "../../src/chat/gateway/gateway-user.ts";
import { openModel } from "../../src/chat/model/chat-model.ts";

vi.setConfig({ hookTimeout: 60_000 });

let folder: string;
let gateway: ChatGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-gateway-session-"));
  gateway = await startChatGateway({ servers: {}, users: ["ann", "ben"], folder });
});
afterAll(async () => {
  await gateway?.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(env: Record<string, string>, address = gateway.url) {
  const model = await openModel(
    { kind: "anthropic", model: "m" },
    { env: { ANTHROPIC_API_KEY: "sk-1" } },
  );
  const options = { gateway: new URL(address), model, data: join(folder, "chat") };
  return openGatewaySession(options, { port: 0, anyPort: true }, env);
}

test("opens the chat of the user whose token is in the environment", async () => {
  const session = await open({ VITRINE_GATEWAY_TOKEN: gateway.tokens.ann ?? "" });
  expect(session.url).toContain("#key=");
  expect(session.url).not.toContain(gateway.tokens.ann);
  await session.close();
});

test("opens a page for the log-in if there is no token", async () => {
  const session = await open({});
  const { port, host } = new URL(session.url);
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { host } });
  // Node's fetch sends its own Host header, which isn't the page's name.
  expect(page.status).toBe(421);
  await session.close();
});

test("rejects a token that the gateway doesn't accept, and names its variable", async () => {
  await expect(open({ VITRINE_GATEWAY_TOKEN: "wrong" })).rejects.toThrow("VITRINE_GATEWAY_TOKEN");
});

test("names an address that isn't a gateway, or that doesn't answer", async () => {
  expect(() => readGatewayAddress("localhost")).toThrow('--gateway is "localhost"');
  const dead = { gateway: new URL("http://127.0.0.1:9"), token: "x" };
  await expect(readGatewayUser(dead)).rejects.toThrow("http://127.0.0.1:9");
});

test("identifies users by their tokens", async () => {
  const login = { gateway: new URL(gateway.url), token: gateway.tokens.ben ?? "" };
  expect(await readGatewayUser(login)).toEqual({ tenant: "chat", user: "ben", servers: [] });
  expect(await readGatewayUser({ ...login, token: "wrong" })).toBeUndefined();
});
