import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { launchChromium } from "@vitrine/internal/chromium";
import type { BrowserContext } from "playwright";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/handler.ts";

/** What lies between the Sandbox and the browser, and is changed to be like other browsers. */
interface World {
  /** Edits the headers of the probe's page. */
  headers: (headers: Headers) => void;
  /** How the address that the list forbids is answered. */
  network: "alive" | "silent" | "dead";
  /** Globals that the browser goes without. */
  missing: string[];
  /** Paths below `/egress/` that were asked for. */
  asked: number;
}

interface Reply {
  origin: string;
  data: unknown;
}

const LIST = "connection-allowlist";
const FRAMING = `<!doctype html><script>
window.received = [];
addEventListener("message", ({ origin, data }) => received.push({ origin, data }));
window.frame = (url) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
  // Nobody looks at it.
  frame.hidden = true;
  frame.src = url;
  document.body.append(frame);
};
</script><body>`;

declare global {
  interface Window {
    received: Reply[];
    frame(url: string): void;
  }
}

let world: World;
let server: Server;
let port: number;
let own: Sandbox;
let single: Sandbox;
let context: BrowserContext;
let closeBrowser: () => Promise<void>;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const asked = new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? "GET",
      headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    });
    const sandbox = [own, single].find((candidate) => candidate.handles(asked));
    if (sandbox) return serve(await sandbox.fetch(asked), asked, response);
    response.setHeader("content-type", "text/html; charset=utf-8").end(FRAMING);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  const hosts = [`http://host.localhost:${port}`];
  const key = "a key of these tests, of at least 32 bytes";
  own = createSandbox({ origins: { tier: "localhost", port, hosts, key } });
  single = createSandbox({ origins: { tier: "single-origin", hosts, key } });
  ({ context, close: closeBrowser } = await launchChromium({
    viewport: { width: 800, height: 600 },
  }));
});

afterAll(async () => {
  await closeBrowser();
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  world = { headers: () => {}, network: "alive", missing: [], asked: 0 };
});

/** The wrapper around `sandbox.fetch`. */
function serve(answer: Response, { url, method }: Request, response: ServerResponse): void {
  const headers = new Headers(answer.headers);
  const { pathname } = new URL(url);
  if (pathname.endsWith("/egress")) world.headers(headers);
  if (pathname.includes("/egress/") && method === "GET") {
    world.asked += 1;
    if (world.network === "dead") return void response.destroy();
    if (world.network === "silent") return;
  }
  response.writeHead(answer.status, Object.fromEntries(headers));
  void answer.text().then((body) => response.end(body));
}

const without = (headers: Headers): void => headers.delete(LIST);

/** Frames the probe as a Host would; returns the messages it received, and the time of the first. */
async function probe(sandbox = own, host = "host"): Promise<{ received: Reply[]; time: number }> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  await page.addInitScript((names) => {
    for (const name of names) Reflect.deleteProperty(window, name);
  }, world.missing);
  await page.goto(`http://${host}.localhost:${port}/`);
  const begun = performance.now();
  const { proxy, prefix } = sandbox.origins;
  await page.evaluate((url) => window.frame(url), `${proxy}${prefix}/egress`);
  await page
    .waitForFunction(() => window.received.length > 0, undefined, { timeout: 4000 })
    .catch(() => {});
  const time = performance.now() - begun;
  // A second word would be one too many.
  await page.waitForTimeout(300);
  return { received: await page.evaluate(() => window.received), time };
}

const word = (egress: string, why: RegExp): object => ({
  vitrine: "egress",
  egress,
  why: expect.stringMatching(why),
});

describe("Chromium, which honours the list,", () => {
  test("is strict, reports it once, and sends no network request", async () => {
    const { received } = await probe();
    const data = word("strict", /^The browser refused a request and a peer connection/);
    expect(received).toEqual([{ origin: `http://proxy.localhost:${port}`, data }]);
    expect(world.asked).toBe(0);
  });

  test("is strict on one origin too, where the page has none", async () => {
    const { received } = await probe(single);
    expect(received).toEqual([{ origin: "null", data: word("strict", /^The browser refused/) }]);
    expect(world.asked).toBe(0);
  });

  test("is strict while nothing answers, because nothing has to", async () => {
    world.network = "dead";
    const { received } = await probe();
    expect(received).toMatchObject([{ data: { egress: "strict" } }]);
  });
});

describe("a browser that does not know the list", () => {
  beforeEach(() => {
    world.headers = without;
  });

  test("is partial, because the request was answered", async () => {
    const { received } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /forbids was answered/) }]);
    expect(world.asked).toBe(1);
  });

  test("is partial on one origin for the same reason, and not for the lack of an origin", async () => {
    const { received } = await probe(single);
    expect(received).toMatchObject([{ data: word("partial", /forbids was answered/) }]);
  });

  test("is partial when no answer comes, after a second and a half", async () => {
    world.network = "silent";
    const { received, time } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /neither answered nor refused/) }]);
    expect(time).toBeGreaterThan(1450);
    expect(time).toBeLessThan(3500);
  });

  test("is partial when the network fails: that looks like a refusal and is none", async () => {
    world.network = "dead";
    const { received } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /does not say that/) }]);
    expect(world.asked).toBeGreaterThan(0);
  });
});

describe("a browser that knows the list in part", () => {
  test("is partial when it watches and does not enforce, even while the network fails", async () => {
    world.network = "dead";
    world.headers = (headers) => {
      headers.set(`${LIST}-report-only`, headers.get(LIST) ?? "");
      headers.delete(LIST);
    };
    const { received } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /watches .* does not enforce/) }]);
  });

  test("is partial when it tells its pages nothing", async () => {
    world.missing = ["ReportingObserver"];
    const { received } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /does not say that/) }]);
  });

  test("is partial when it was built without WebRTC", async () => {
    world.missing = ["RTCPeerConnection"];
    const { received } = await probe();
    expect(received).toMatchObject([{ data: word("partial", /without WebRTC/) }]);
  });
});

test("a page that isn't a pinned Host receives nothing, even where it may frame the probe", async () => {
  world.headers = (headers) => {
    without(headers);
    const policy = headers.get("content-security-policy") ?? "";
    headers.set("content-security-policy", policy.replace(/frame-ancestors [^;]+; /, ""));
  };
  const { received } = await probe(own, "outsider");
  // It ran, and its word went to somebody who is not there.
  expect(world.asked).toBe(1);
  expect(received).toEqual([]);
});
