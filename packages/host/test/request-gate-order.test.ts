import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AppBridge } from "../src/bridge/bridge.ts";
import { RawView, turn } from "./raw-view.ts";
import { readOnly, scriptedUpstream, tool } from "./scripted-upstream.ts";

const TOOLS = [
  readOnly("free"),
  tool("asked"),
  readOnly("model-only", { _meta: { ui: { visibility: ["model"] } } }),
];

// Everything that a Host may do, in any order and as often as it likes; and the View's part.
const STEPS = [
  "connect",
  "hello",
  "initialized",
  "oncalltool",
  "peer.handle",
  "onlisttools",
  "remove",
  "call free",
  "call asked",
  "call model-only",
  "call unknown",
  "link",
  "turn",
] as const;
type Step = (typeof STEPS)[number];

interface Plan {
  steps: readonly Step[];
  hasClient: boolean;
  hasConsent: boolean;
}

/** What reached a handler or a Server, in which state of the handshake. */
async function play({ steps, hasClient, hasConsent }: Plan): Promise<string[]> {
  const served: string[] = [];
  let isReady = false;
  const serve = (by: string, name: unknown): { content: [] } => {
    served.push(`${isReady ? "" : "early "}${by} ${name}`);
    return { content: [] };
  };
  const upstream = scriptedUpstream({
    tools: TOOLS,
    answer: ({ params }) => serve("server", params.name),
  });
  const view = new RawView();
  const bridge = new AppBridge(
    hasClient ? upstream : null,
    { name: "h", version: "1" },
    {},
    {
      ...(hasConsent && { consent: () => false }),
      gestures: true,
    },
  );
  let connecting: Promise<void> | undefined;
  const call = (name: string): void => {
    if (connecting) void view.ask("tools/call", { name });
  };
  const actions: Record<Step, () => unknown> = {
    connect: () => {
      connecting ??= bridge.connect(view.hostEnd);
    },
    hello: () => connecting && void view.hello().catch(() => {}),
    initialized: () => {
      if (!connecting) return;
      view.notify("ui/notifications/initialized");
    },
    oncalltool: () => {
      bridge.oncalltool = ({ name }) => serve("handler", name);
    },
    "peer.handle": () =>
      bridge.peer.handle("tools/call", (params) =>
        serve("peer", (params as { name: string }).name),
      ),
    onlisttools: () => {
      bridge.onlisttools = () => ({ tools: TOOLS });
      bridge.onopenlink = ({ url }) => serve("link", url);
    },
    remove: () => {
      bridge.oncalltool = undefined;
      bridge.onlisttools = undefined;
    },
    "call free": () => call("free"),
    "call asked": () => call("asked"),
    "call model-only": () => call("model-only"),
    "call unknown": () => call("unknown"),
    link: () => connecting && void view.ask("ui/open-link", { url: "https://a.example" }),
    turn,
  };
  bridge.oninitialized = () => {
    isReady = true;
  };
  for (const step of steps) {
    const done = actions[step]();
    if (step === "turn") await done;
  }
  await connecting;
  await turn();
  await bridge.close();
  await turn();
  return served;
}

const plan = fc.record({
  steps: fc.array(fc.constantFrom(...STEPS), { maxLength: 24 }),
  hasClient: fc.boolean(),
  hasConsent: fc.boolean(),
});

describe("in whatever order things are registered and said", () => {
  test("only what policy and consent allow is ever served, and nothing before the handshake (HST-09, HST-14, HST-42)", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (it) => {
        const served = await play(it);
        // Consent is never given here, and no click was seen: the tool that only reads is all there is.
        for (const line of served) expect(line).toMatch(/^(handler|peer|server) free$/);
      }),
      { numRuns: 600 },
    );
  });

  test("and what is allowed is served, whichever came first", async () => {
    const before: Step[] = ["oncalltool", "onlisttools"];
    const after: Step[] = ["connect", "turn", "hello", "turn", "initialized", "turn"];
    for (const hasClient of [true, false]) {
      for (const steps of [
        [...before, ...after, "call free", "turn"],
        [...after, ...before, "call free", "turn"],
        ["connect", ...before, ...after, "call free", "turn"],
      ] as Step[][]) {
        expect(await play({ steps, hasClient, hasConsent: true })).toEqual(["handler free"]);
      }
    }
    expect(
      await play({
        steps: ["connect", "turn", "hello", "turn", "initialized", "turn", "call free", "turn"],
        hasClient: true,
        hasConsent: false,
      }),
    ).toEqual(["server free"]);
  });

  test("a handler set on the peer itself stands behind the gate like any other", async () => {
    const steps: Step[] = [
      "peer.handle",
      "connect",
      "call asked",
      "turn",
      "hello",
      "turn",
      "initialized",
      "turn",
      "call model-only",
      "call free",
      "turn",
    ];
    expect(await play({ steps, hasClient: true, hasConsent: true })).toEqual(["peer free"]);
  });
});
