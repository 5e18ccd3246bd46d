import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Message, type Mode, openScene, viewOf } from "./scene.ts";
import { openStage, type Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 20_000, hookTimeout: 30_000 });

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const MODES: Mode[] = ["window", "port", "single-origin"];

// What a relay that reads too much would lose: id 0, answers without a method, methods it never
// received of, errors.
const ODD: Message[] = [
  { id: 0, method: "ui/initialize", params: { protocolVersion: "2099-01-01", appInfo: {} } },
  { id: "a", method: "x-vendor/unknown", params: { deep: [[{ a: null }]], text: "\u2028 é" } },
  { method: "notifications/of-nobody" },
  { id: "host-1", result: {} },
  { id: 7, error: { code: -32601, message: "Method not found" } },
];

const PREFIX = "ui/notifications/sandbox-";

const RESERVED: Message[] = [
  { method: "ui/notifications/sandbox-proxy-ready", params: {} },
  {
    method: "ui/notifications/sandbox-resource-ready",
    params: { html: "", sandbox: "allow-modals" },
  },
  { id: 1, method: "ui/notifications/sandbox-anything" },
];

const wire = (messages: Message[]): object[] =>
  messages.map((item) => ({ jsonrpc: "2.0", ...item }));

const SENDER = (messages: Message[]): string =>
  viewOf(`for (const message of ${JSON.stringify(messages)}) send(message); done();`);

const LISTENER = viewOf(`
  done();
  while (!received.some(({ method }) => method === "test/last")) await rest(10);
  send({ method: "test/received", params: { received } });
`);

describe.each(MODES)("in %s mode", (mode) => {
  test("unknown methods, answers and errors reach the Host as they are (SBX-11)", async () => {
    const scene = await openScene(stage, { mode, html: SENDER(ODD) });
    expect((await scene.until()).slice(0, -1)).toEqual(wire(ODD));
  });

  test("unknown methods, answers and errors reach the View as they are (SBX-10)", async () => {
    const scene = await openScene(stage, { mode, html: LISTENER });
    await scene.until();
    const all = wire([...ODD, { method: "test/last" }]);
    for (const message of all) await scene.send(message, mode);
    expect((await scene.until("test/received")).at(-1)?.params?.received).toEqual(all);
  });

  test("what is reserved for Sandbox and Host is relayed in neither direction (SBX-12)", async () => {
    const up = await openScene(stage, { mode, html: SENDER(RESERVED) });
    expect(await up.until()).toEqual(wire([{ method: "test/done", params: {} }]));

    const down = await openScene(stage, { mode, html: LISTENER });
    await down.until();
    const all = wire([...RESERVED, { method: "test/last" }]);
    for (const message of all) await down.send(message, mode);
    const received = (await down.until("test/received")).at(-1)?.params?.received;
    expect(received).toEqual(all.slice(-1));
  });

  test("without the prefix check, a View can send to the Host as the Sandbox", async () => {
    const scene = await openScene(stage, { mode, html: SENDER(RESERVED), without: "prefix" });
    await scene.until();
    const forged = (await scene.received()).filter(({ data }) =>
      JSON.stringify(data).includes("sandbox-anything"),
    );
    expect(forged).toHaveLength(1);
  });
});

test("what is reserved is not relayed as text by window either, which some Views read (SBX-12)", async () => {
  const scene = await openScene(stage, { html: LISTENER });
  await scene.until();
  const texts = wire([...RESERVED, { method: "x" }]).map((message) => JSON.stringify(message));
  for (const text of texts) {
    await scene.page.evaluate((text) => window.host.post(text), text);
  }
  await scene.send({ jsonrpc: "2.0", method: "test/last" });
  const received = (await scene.until("test/received")).at(-1)?.params?.received;
  expect(received).toEqual([texts.at(-1), ...wire([{ method: "test/last" }])]);
});

describe("the entrance", () => {
  test("sends that it is ready exactly once, and accepts one resource (SBX-03)", async () => {
    const html = viewOf(`done({ view: "first" });`);
    const scene = await openScene(stage, { html });
    await scene.until();
    const second = { html: viewOf(`done({ view: "second" });`) };
    const method = "ui/notifications/sandbox-resource-ready";
    await scene.send({ jsonrpc: "2.0", method, params: second });
    await scene.page.waitForTimeout(500);
    expect((await scene.messages()).map(({ params }) => params)).toEqual([{ view: "first" }]);
    const ready = (await scene.received()).filter(({ data }) =>
      JSON.stringify(data).includes("sandbox-proxy-ready"),
    );
    expect(ready).toEqual([
      {
        frame: 0,
        by: "window",
        origin: stage.proxyOrigin,
        ports: 0,
        data: { jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} },
      },
    ]);
  });

  test("shows the reason when the server rejects a View, to the user and in the Host's log", async () => {
    const scene = await openScene(stage, { html: "x".repeat(6 * 2 ** 20) });
    const { code, detail } = await scene.killed();
    expect(code).toBe("not-registered");
    expect(detail).toBe(
      "The html has more than 5242880 bytes. Make it smaller, or raise limits.html of the sandbox.",
    );
    const notice = scene.proxy().getByRole("alert");
    expect(await notice.textContent()).toContain(`The sandbox rejected it: ${detail}`);
  });
});

describe("our Host at the entrance", () => {
  const vitrine = { server: "maps", resource: "ui://maps/main", user: "ann" };

  test("gets a port from the page that follows, and first of all what was decided", async () => {
    const html = viewOf(`done({ origin: self.origin });`);
    const csp = { connectDomains: ["https://api.example.org", "*"] };
    const credential = await stage.sandbox.issueCredential(vitrine);
    const resource = { vitrine: { ...vitrine, credential }, csp };
    const scene = await openScene(stage, { html, resource });
    const { origin } = await scene.outcome();
    const {
      viewOrigin,
      viewId: _,
      ...facts
    } = await stage.sandbox.register({
      ...vitrine,
      html,
      meta: { csp },
    });
    expect(origin).toBe(viewOrigin);
    const { grant, egress, rejected, htmlHash, policyHash } = facts;
    const viewId = expect.stringMatching(/^[a-z2-7]{32}$/);
    const all = await scene.received();
    expect(all.map(({ by, data }) => ({ by, data }))).toEqual([
      { by: "window", data: expect.objectContaining({ method: `${PREFIX}proxy-ready` }) },
      { by: "window", data: { vitrine: "port" } },
      {
        by: "port",
        data: { registered: { viewId, grant, egress, rejected, htmlHash, policyHash } },
      },
      { by: "port", data: { seq: 0, act: false, text: expect.stringContaining("test/done") } },
    ]);
    expect(rejected).toHaveLength(1);
  });

  test("is received only over the port", async () => {
    const scene = await openScene(stage, { html: LISTENER, resource: { vitrine } });
    await scene.until();
    await scene.page.evaluate(() => window.host.post({ jsonrpc: "2.0", method: "by/window" }));
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    const received = (await scene.until("test/received")).at(-1)?.params?.received;
    expect(received).toEqual(wire([{ method: "test/last" }]));
  });

  test("can hold its View", async () => {
    const resource = { vitrine: { ...vitrine, hold: true } };
    const scene = await openScene(stage, { html: LISTENER, resource });
    await scene.page.waitForFunction(() =>
      window.host.received.some(({ data }) => "held" in Object(data)),
    );
    expect(await scene.messages()).toEqual([]);
    await scene.tell({ mount: true });
    await scene.until();
  });

  test("gets the reason why its claim is rejected", async () => {
    const resource = { vitrine: { server: "maps" } };
    const scene = await openScene(stage, { html: LISTENER, resource });
    const { code, detail } = await scene.killed();
    expect(code).toBe("not-registered");
    expect(detail).toContain(`"vitrine.resource" has to be a string.`);
  });
});

describe("a port", () => {
  const html = viewOf(`
    send({ id: 1, method: "ui/open-link", params: { url: "https://a.example" } });
    addEventListener("click", () => send({ id: 2, method: "ui/open-link" }));
    done();
  `);

  test("is handed over once, and nothing else comes by window", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    const byWindow = (await scene.received()).filter(({ by }) => by === "window");
    expect(byWindow).toEqual([
      { frame: 0, by: "window", origin: stage.proxyOrigin, ports: 1, data: { vitrine: "port" } },
    ]);
  });

  test("makes window messages of the Host's page mute", async () => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    await scene.page.evaluate(() => window.host.post({ jsonrpc: "2.0", method: "by/window" }));
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    const received = (await scene.until("test/received")).at(-1)?.params?.received;
    expect(received).toEqual(wire([{ method: "test/last" }]));
  });

  test("numbers messages and marks those that follow a user's click", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    await scene.page.mouse.click(100, 100);
    await scene.page.waitForFunction(() => window.host.received.length > 4);
    const envelopes = (await scene.received()).filter(({ data }) => "seq" in Object(data));
    expect(envelopes.map(({ data }) => data)).toEqual([
      { seq: 0, act: false, text: expect.stringContaining('"id":1') },
      { seq: 1, act: false, text: '{"jsonrpc":"2.0","method":"test/done","params":{}}' },
      { seq: 2, act: true, text: '{"jsonrpc":"2.0","id":2,"method":"ui/open-link"}' },
    ]);
  });

  test("tells a Host that asks whether the user is active in the View", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    const ask = () => scene.tell({ activity: true });
    await ask();
    await scene.page.mouse.click(100, 100);
    await ask();
    await scene.page.waitForFunction(
      () => window.host.received.filter(({ data }) => "activity" in Object(data)).length === 2,
    );
    const answers = (await scene.received()).flatMap(({ data }) =>
      "activity" in Object(data) ? [data] : [],
    );
    expect(answers).toEqual([{ activity: false }, { activity: true }]);
  });

  const WAYS: [string, (text: string) => object][] = [
    ["an object", (text) => ({ msg: JSON.parse(text) })],
    ["text", (text) => ({ text })],
  ];

  test.each(WAYS)("takes %s for the View, but what is reserved (SBX-12)", async (_way, wrap) => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    const hidden = String.raw`{"jsonrpc":"2.0","method":"ui\/notifications\/s\u0061ndbox-x"}`;
    const texts = [...ODD, ...RESERVED].map((item) => JSON.stringify({ jsonrpc: "2.0", ...item }));
    for (const text of [...texts, hidden]) await scene.tell(wrap(text));
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    const received = (await scene.until("test/received")).at(-1)?.params?.received as unknown[];
    expect(received).toEqual(wire([...ODD, { method: "test/last" }]));
  });

  test.each(WAYS)(
    "without the prefix check lets %s through that is reserved",
    async (_way, wrap) => {
      const html = LISTENER;
      const scene = await openScene(stage, { mode: "port", html, without: "prefix" });
      await scene.until();
      await scene.tell(wrap(JSON.stringify({ jsonrpc: "2.0", ...RESERVED[0] })));
      await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
      const received = (await scene.until("test/received")).at(-1)?.params?.received;
      expect(JSON.stringify(received)).toContain("sandbox-proxy-ready");
    },
  );

  test("continues after text that isn't JSON", async () => {
    const scene = await openScene(stage, { mode: "port", html: LISTENER });
    await scene.until();
    for (const text of ["", "{", "undefined"]) await scene.tell({ text });
    await scene.tell({ text: 5 });
    await scene.send({ jsonrpc: "2.0", method: "test/last" }, "port");
    const received = (await scene.until("test/received")).at(-1)?.params?.received;
    expect(received).toEqual(wire([{ method: "test/last" }]));
  });

  // Takes the port of the first message, and sends only there from then on.
  const TAKER = viewOf(`
    done();
    const { ports: [port] } = await new Promise((resolve) => addEventListener("message", resolve, { once: true }));
    const byPort = [];
    port.onmessage = ({ data }) => byPort.push(data);
    const say = (message) => port.postMessage({ jsonrpc: "2.0", ...message });
    say({ method: "test/taken" });
    while (!byPort.some((data) => JSON.stringify(data).includes("test/last"))) await rest(10);
    for (const message of [...${JSON.stringify(RESERVED)}, { params: "x".repeat(2 ** 21) }, ...${JSON.stringify(ODD)}]) say(message);
    say({ method: "test/received", params: { received: received.length, byPort } });
    for (;;) {
      for (let i = 0; i < 500; i++) say({ method: "flood" });
      await rest(500);
    }
  `);

  test("a View that takes the port gets text as it is, and is looked at as before (SBX-11, SBX-12)", async () => {
    const scene = await openScene(stage, { mode: "port", html: TAKER });
    await scene.until();
    await scene.send({ jsonrpc: "2.0", method: "test/first" }, "port");
    await scene.until("test/taken");
    const texts = wire([...ODD, ...RESERVED, { method: "test/last" }]).map((item) =>
      JSON.stringify(item),
    );
    for (const text of texts) await scene.tell({ text });
    const all = await scene.until("test/received");
    const messages = all.filter(({ method }) => method !== "flood");
    const passed = [...texts.slice(0, ODD.length), texts.at(-1)];
    expect(messages.at(-1)?.params).toEqual({ received: 1, byPort: passed });
    // What it sent over the port: nothing reserved, nothing too large, all else as it was.
    expect(messages.slice(-ODD.length - 1, -1)).toEqual(wire(ODD));
    expect(messages.map(({ method }) => method)).not.toContain(RESERVED[0]?.method);
    expect((await scene.killed()).code).toBe("flood");
  });

  test("ends the View when the Host closes it", async () => {
    const scene = await openScene(stage, { mode: "port", html });
    await scene.until();
    await scene.tell({ close: true });
    expect(await scene.killed()).toEqual({ code: "closed", detail: "" });
    await expect.poll(() => scene.page.frames().length, { timeout: 5000 }).toBe(2);
    expect(await scene.proxy().locator("body").textContent()).toContain("The host closed it.");
  });
});
