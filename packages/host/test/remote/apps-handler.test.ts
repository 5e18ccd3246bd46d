import { RpcError } from "@vitrine/protocol";
import { describe, expect, test } from "vitest";
import {
  type AppsEvent,
  type AppsHandlerOptions,
  type AppsUser,
  createAppsHandler,
  type OpenedView,
} from "../../src/remote/remote.ts";
import { callbacksUpstream } from "../../src/upstreams/callbacks.ts";

const VIEW = "ui://shop/cart";
const ui = { resourceUri: VIEW };
const inputSchema = { type: "object" as const };
const TOOLS = [
  { name: "show_cart", inputSchema, _meta: { ui }, annotations: { readOnlyHint: true } },
  { name: "buy", inputSchema },
  { name: "refund", inputSchema, _meta: { ui: { visibility: ["model"] } } },
];

function shop(calls: unknown[]) {
  return callbacksUpstream({
    server: "shop",
    listTools: () => ({ tools: TOOLS }) as never,
    callTool: (params) => {
      calls.push(params);
      return { content: [{ type: "text", text: "done" }] };
    },
    readResource: ({ uri }) => ({
      contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: "<p>Cart</p>" }],
    }),
    listResources: () => ({
      resources: [{ uri: VIEW, name: "cart", _meta: { ui: { prefersBorder: true } } }],
    }),
  });
}

interface Answer {
  status: number;
  result?: Record<string, never>;
  error?: { code: number; message: string; data?: { consent?: string } };
}

function setUp(options: Partial<AppsHandlerOptions<AppsUser>> = {}) {
  const calls: unknown[] = [];
  const events: AppsEvent[] = [];
  const handler = createAppsHandler<AppsUser>({
    clients: { shop: shop(calls), bank: shop(calls) },
    authorize: (request) => {
      const id = request.headers.get("x-user");
      return id ? { id } : undefined;
    },
    onEvent: (event) => events.push(event),
    ...options,
  });
  const post = async (
    method: string,
    params: object = {},
    { user = "ann", ...more }: { user?: string; view?: string; consent?: string } = {},
  ): Promise<Answer> => {
    const body = JSON.stringify({ message: { jsonrpc: "2.0", id: 1, method, params }, ...more });
    const headers = { "content-type": "application/json", "x-user": user };
    const request = new Request("https://chat.example/apps", { method: "POST", headers, body });
    const response = await handler.fetch(request);
    return { status: response.status, ...((await response.json()) as object) };
  };
  const open = async (server = "shop", user = "ann"): Promise<string> => {
    const { result } = await post("apps/open", { server, tool: "show_cart" }, { user });
    return (result as unknown as OpenedView).view;
  };
  const buy = (view: string, more: { consent?: string; user?: string; item?: string } = {}) => {
    const { item = "tea", ...rest } = more;
    return post("tools/call", { name: "buy", arguments: { item } }, { view, ...rest });
  };
  return { handler, calls, events, post, open, buy };
}

describe("the server half of a host", () => {
  test("sends a view with its tool, HTML and the metadata of its listing in one response", async () => {
    const { post, events } = setUp();
    const { result } = await post("apps/open", { server: "shop", tool: "show_cart" });
    expect(result).toMatchObject({
      server: "shop",
      tool: { name: "show_cart" },
      capabilities: { tools: {} },
      resource: { contents: [{ text: "<p>Cart</p>", _meta: { ui: { prefersBorder: true } } }] },
    });
    expect(events).toMatchObject([{ event: "opened", resource: VIEW }]);
  });

  test("issues the sandbox's credential with the view, for this user and resource", async () => {
    const asked: object[] = [];
    const { post } = setUp({
      sandbox: {
        entrance: "https://views.example/",
        credential: (view) => {
          asked.push(view);
          return "secret";
        },
      },
    });
    const { result } = await post("apps/open", { server: "shop", tool: "show_cart" });
    expect(result).toMatchObject({
      credential: { entrance: "https://views.example/", credential: "secret" },
    });
    expect(asked).toMatchObject([{ server: "shop", resource: VIEW, user: "ann" }]);
  });

  test("lists the servers with the tools that open views, and goes on without one that fails", async () => {
    const broken = callbacksUpstream({
      server: "broken",
      listTools: () => {
        throw new Error("connect ECONNREFUSED 10.0.0.7:443");
      },
    });
    const { post } = setUp({ clients: { shop: shop([]), broken } });
    const { result } = await post("apps/catalogue");
    expect(result).toMatchObject({
      servers: [
        { server: "shop", tools: [{ name: "show_cart" }] },
        { server: "broken", tools: [], error: "The server doesn't respond." },
      ],
    });
    expect(JSON.stringify(result)).not.toContain("10.0.0.7");
  });

  test("asks for consent before a tool that writes, and runs exactly the call that was asked about", async () => {
    const { open, buy, calls, events } = setUp();
    const view = await open();
    const { error } = await buy(view);
    expect(error).toMatchObject({ code: -33_005, data: { consent: expect.any(String) } });
    expect(calls).toEqual([]);
    const consent = error?.data?.consent ?? "";
    expect(await buy(view, { consent })).toMatchObject({ result: { content: [{ text: "done" }] } });
    expect(calls).toEqual([{ name: "buy", arguments: { item: "tea" } }]);
    expect(events.map(({ event }) => event)).toEqual(["opened", "asked", "allowed"]);
  });

  test("rejects a consent that was used, is for other arguments, or is forged", async () => {
    const { open, buy, calls, events } = setUp();
    const view = await open();
    const consent = (await buy(view)).error?.data?.consent ?? "";
    expect(await buy(view, { consent, item: "gold" })).toMatchObject({ error: { code: -32_000 } });
    await buy(view, { consent });
    expect(await buy(view, { consent })).toMatchObject({ error: { code: -32_000 } });
    const forged = `${consent.split(".")[0]}.${"A".repeat(43)}`;
    expect(await buy(view, { consent: forged })).toMatchObject({ error: { code: -32_000 } });
    expect(await buy(view, { consent: view })).toMatchObject({ error: { code: -32_000 } });
    expect(calls).toHaveLength(1);
    expect(events.filter(({ event }) => event === "denied")).toHaveLength(4);
  });

  test("rejects a consent and a view of another user", async () => {
    const { open, buy, calls } = setUp();
    const [anns, bobs] = [await open(), await open("shop", "bob")];
    const consent = (await buy(anns)).error?.data?.consent ?? "";
    expect(await buy(bobs, { consent, user: "bob" })).toMatchObject({ error: { code: -32_000 } });
    expect(await buy(anns, { user: "bob" })).toMatchObject({ error: { code: -33_004 } });
    expect(calls).toEqual([]);
  });

  test("rejects a consent for a tool that changed after the user was asked", async () => {
    const key = "k".repeat(32);
    const { open, buy } = setUp({ key });
    const view = await open();
    const consent = (await buy(view)).error?.data?.consent ?? "";
    const tool = TOOLS[1] as { description?: string };
    tool.description = "Buys everything";
    // A handler that has listed the tools again.
    const late = setUp({ key });
    expect(await late.buy(await late.open(), { consent })).toMatchObject({
      error: { code: -32_000 },
    });
    delete tool.description;
  });

  test("a view's calls go to its own server, whatever its params name", async () => {
    const bank: unknown[] = [];
    const { open, post } = setUp({ clients: { shop: shop([]), bank: shop(bank) } });
    const params = { name: "show_cart", arguments: {}, server: "bank" };
    await post("tools/call", params, { view: await open("shop") });
    expect(bank).toEqual([]);
  });

  test("rejects tools that aren't for apps, unknown tools and unknown servers", async () => {
    const { open, post, calls, events } = setUp();
    const view = await open();
    for (const name of ["refund", "toString"]) {
      const { error } = await post("tools/call", { name, arguments: {} }, { view });
      expect(error).toMatchObject({ code: -32_000 });
    }
    for (const server of ["toString", "nowhere"]) {
      const { error } = await post("apps/open", { server, tool: "show_cart" });
      expect(error).toMatchObject({ code: -32_000 });
    }
    expect(calls).toEqual([]);
    expect(events.flatMap(({ reason }) => reason ?? [])).toEqual(["not-visible", "unknown-tool"]);
  });

  test("lists only the tools that apps may call", async () => {
    const { open, post } = setUp();
    const { result } = await post("tools/list", {}, { view: await open() });
    const { tools } = result as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["show_cart", "buy"]);
  });

  test("rejects methods that aren't for views, and those the policy leaves out", async () => {
    const { open, post } = setUp({ policy: { methods: ["tools/call"] } });
    const view = await open();
    for (const method of ["completion/complete", "resources/list", "__proto__"]) {
      expect(await post(method, {}, { view })).toMatchObject({ error: { code: -32_601 } });
    }
  });

  test("the product's rule comes first, and can ask about tools that only read", async () => {
    const { open, buy, post } = setUp({
      policy: {
        rule: ({ tool }) => (tool.name === "buy" ? "deny" : undefined),
        readOnlyTools: "ask",
      },
    });
    const view = await open();
    expect(await buy(view)).toMatchObject({ error: { code: -32_000 } });
    const { error } = await post("tools/call", { name: "show_cart", arguments: {} }, { view });
    expect(error?.code).toBe(-33_005);
  });

  test("records the calls that a page's host refused", async () => {
    const { open, post, events } = setUp();
    await post("apps/refused", { tool: "buy" }, { view: await open() });
    await post("apps/refused", { tool: "buy" }, { view: "forged" });
    expect(events).toMatchObject([
      { event: "opened" },
      { event: "refused", resource: VIEW, tool: "buy" },
    ]);
  });

  test("sends a server nothing that the user wasn't shown", async () => {
    const { open, post, calls } = setUp();
    const params = { name: "show_cart", arguments: {}, _meta: { admin: true }, task: { ttl: 1 } };
    await post("tools/call", params, { view: await open() });
    expect(calls).toEqual([{ name: "show_cart", arguments: {} }]);
  });

  test("a server's error reaches the view, an error of the connection doesn't", async () => {
    let failure: Error = new RpcError(-32_602, "No such item", { item: 1 });
    const failing = callbacksUpstream({
      server: "shop",
      listTools: () => ({ tools: TOOLS }) as never,
      callTool: () => {
        throw failure;
      },
      readResource: ({ uri }) => ({ contents: [{ uri, text: "" }] }) as never,
    });
    const { open, post } = setUp({ clients: { shop: failing } });
    const view = await open();
    const call = () => post("tools/call", { name: "show_cart", arguments: {} }, { view });
    expect(await call()).toMatchObject({ error: { code: -32_602, data: { item: 1 } } });
    failure = new Error("connect ECONNREFUSED 10.0.0.7:443");
    expect((await call()).error?.message).toBe("The server doesn't respond. Try again later.");
  });

  test("rejects requests without a user, of other types, too large, or not JSON", async () => {
    const { handler } = setUp();
    const status = async (init: RequestInit): Promise<number> =>
      (await handler.fetch(new Request("https://chat.example/apps", { method: "POST", ...init })))
        .status;
    const headers = { "content-type": "application/json", "x-user": "ann" };
    expect(await status({ headers: { "content-type": "application/json" }, body: "{}" })).toBe(401);
    expect(
      await status({ headers: { ...headers, "content-type": "text/plain" }, body: "{}" }),
    ).toBe(415);
    expect(await status({ headers, body: " ".repeat(3 * 2 ** 20) })).toBe(413);
    expect(await status({ headers, body: "{" })).toBe(400);
    expect(await status({ headers, body: '{"message":{"id":1,"method":"x"}}' })).toBe(400);
    expect(await status({ headers, method: "GET" })).toBe(405);
  });

  test("limits the requests of one user without limiting another", async () => {
    const { post } = setUp({ requestsPerMinute: 2 });
    for (const expected of [200, 200, 429])
      expect((await post("apps/catalogue")).status).toBe(expected);
    expect((await post("apps/catalogue", {}, { user: "bob" })).status).toBe(200);
  });

  test("accepts views that another process with the same key opened", async () => {
    const key = "k".repeat(32);
    const [one, two, other] = [setUp({ key }), setUp({ key }), setUp()];
    const view = await one.open();
    expect((await two.post("tools/list", {}, { view })).result).toBeDefined();
    expect((await other.post("tools/list", {}, { view })).error?.code).toBe(-33_004);
    expect(() => setUp({ key: "short" })).toThrow("32");
  });
});
