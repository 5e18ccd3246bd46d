import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { createMemoryStore, createSandbox } from "@vitrine/sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";

// The copyable files below deploy/sandbox. KV, Durable Objects and the database over HTTPS are imitations
// here; the container's server is a real process.

vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ON_SOURCES = ["--experimental-strip-types", "--no-warnings", "--conditions=@vitrine/source"];
const KEY = "0123456789abcdef0123456789abcdef";
const DOMAIN = "https://usercontent.example";
const HOST = "https://chat.example";
const PROXY = "https://proxy.usercontent.example";
const FRAME = { "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" };

const running: ChildProcess[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

/** Registers a view with a credential and opens it, as a browser does; returns the statuses. */
async function showView(fetch: (request: Request) => Promise<Response>): Promise<number[]> {
  const issuer = createSandbox({
    origins: { tier: "domain", domain: DOMAIN, hosts: [HOST], key: KEY },
  });
  const identity = { server: "weather", resource: "ui://weather/main" };
  const credential = await issuer.issueCredential(identity, { host: HOST });
  const open = (url: string): Promise<Response> => fetch(new Request(url, { headers: FRAME }));
  const settings = async (page: Response): Promise<Record<string, string>> => {
    const [, text = "{}"] = /data-vitrine="([^"]*)"/.exec(await page.text()) ?? [];
    return JSON.parse(text.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  };
  const { token = "" } = await settings(await open(`${PROXY}/`));
  const headers = {
    origin: PROXY,
    "sec-fetch-site": "same-origin",
    "sec-fetch-dest": "empty",
    "content-type": "application/json",
    "vitrine-token": token,
    "vitrine-credential": credential,
  };
  const body = JSON.stringify({ html: "<p>Sun" });
  const register = (): Promise<Response> =>
    fetch(new Request(`${PROXY}/views`, { method: "POST", headers, body }));
  const [first, second] = await Promise.all([register(), register()]);
  const [registered, refused] = first.status === 201 ? [first, second] : [second, first];
  const { path } = (await registered.json()) as { path: string };
  const page = await open(`${PROXY}${path}`);
  const { view = "" } = await settings(page.clone() as Response);
  const views = await Promise.all([open(view), open(view), open(view)]);
  const opened = views.map(({ status }) => status).sort();
  return [registered.status, refused.status, page.status, ...opened];
}

const ONCE = [201, 401, 200, 200, 410, 410];

test("the worker for Cloudflare shows a view once, and accepts a credential once", async () => {
  const { default: worker, Counter } = await import(`${ROOT}deploy/sandbox/cloudflare/worker.js`);
  const kept = new Map<string, string>();
  const objects = new Map<string, Durable>();
  const env = {
    SANDBOX_DOMAIN: DOMAIN,
    SANDBOX_HOSTS: HOST,
    SANDBOX_KEY: KEY,
    VIEWS: {
      get: async (key: string) => kept.get(key) ?? null,
      put: async (key: string, text: string) => void kept.set(key, text),
      // As in KV, a deleted text can still be read for a while.
      delete: async () => {},
    },
    COUNTERS: {
      idFromName: (name: string) => name,
      get: (name: string) => {
        const object = objects.get(name) ?? inTurn(new Counter({ storage: createStorage() }));
        objects.set(name, object);
        return {
          fetch: (url: string, options: RequestInit) => object.fetch(new Request(url, options)),
        };
      },
    },
  };
  expect(await showView((request) => worker.fetch(request, env))).toEqual(ONCE);
});

interface Durable {
  fetch(request: Request): Promise<Response>;
}

/** The platform holds other requests back while an object uses its storage; here they wait in a queue. */
function inTurn(object: Durable): Durable {
  let last: Promise<unknown> = Promise.resolve();
  return {
    fetch: (request) => {
      const next = last.then(() => object.fetch(request));
      last = next;
      return next;
    },
  };
}

function createStorage(): object {
  const values = new Map<string, unknown>();
  return {
    get: async (key: string) => values.get(key),
    put: async (key: string, value: unknown) => void values.set(key, value),
    setAlarm: async () => {},
    deleteAll: async () => values.clear(),
  };
}

test("the function for Vercel shows a view once, and accepts a credential once", async () => {
  vi.stubEnv("KV_REST_API_URL", "https://redis.example/");
  vi.stubEnv("KV_REST_API_TOKEN", "secret");
  vi.stubEnv("SANDBOX_DOMAIN", DOMAIN);
  vi.stubEnv("SANDBOX_HOSTS", HOST);
  vi.stubEnv("SANDBOX_KEY", KEY);
  const store = createMemoryStore();
  const answers: Record<string, (words: string[]) => Promise<unknown>> = {
    SET: ([key = "", text = "", , ttl]) => store.put(key, text, { ttl: Number(ttl) }),
    GET: async ([key = ""]) => (await store.get(key)) ?? null,
    GETDEL: async ([key = ""]) => (await store.take(key)) ?? null,
    EVAL: ([, , key = "", amount, ttl]) => store.add(key, Number(amount), { ttl: Number(ttl) }),
  };
  vi.stubGlobal("fetch", async (url: string, { headers, body }: RequestInit) => {
    expect([url, headers]).toEqual(["https://redis.example/", { authorization: "Bearer secret" }]);
    const [command = "", ...words] = JSON.parse(String(body)) as string[];
    return Response.json({ result: (await answers[command]?.(words)) ?? null });
  });
  const { default: handler } = await import(`${ROOT}deploy/sandbox/vercel/api/sandbox.js`);
  expect(await showView(handler.fetch)).toEqual(ONCE);
});

describe("the container's server", () => {
  test("is a sandbox without problems, and ends on SIGTERM", async () => {
    const port = await freePort();
    const server = spawn(
      process.execPath,
      [...ON_SOURCES, `${ROOT}deploy/sandbox/container/server.mjs`],
      {
        env: {
          ...process.env,
          PORT: `${port}`,
          SANDBOX_HOSTS: "http://app.localhost:1",
          SANDBOX_KEY: KEY,
        },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    running.push(server);
    await once(server.stdout, "data");
    const line = [
      "sandbox",
      "verify",
      `http://localhost:${port}`,
      "--host",
      "http://app.localhost:1",
    ];
    const verify = spawn(process.execPath, [
      ...ON_SOURCES,
      `${ROOT}packages/cli/src/main.ts`,
      ...line,
    ]);
    running.push(verify);
    let said = "";
    verify.stdout.on("data", (chunk) => {
      said += chunk;
    });
    const [code] = await once(verify, "close");
    expect(said).toMatch(/^Healthy: .* Views can be registered and opened\.\n$/);
    expect(code).toBe(0);
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  test("doesn't start without a key", async () => {
    const env = { ...process.env, SANDBOX_HOSTS: "http://app.localhost:1", SANDBOX_KEY: "" };
    const path = `${ROOT}deploy/sandbox/container/server.mjs`;
    const server = spawn(process.execPath, [...ON_SOURCES, path], { env, stdio: "ignore" });
    running.push(server);
    expect((await once(server, "exit"))[0]).toBe(1);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await once(server.close(), "close");
  return port;
}
