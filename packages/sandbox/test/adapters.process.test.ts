import { createServer, request as httpRequest, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import { Hono } from "hono";
import { afterEach, describe, expect, test } from "vitest";
import { createExpressMiddleware } from "../src/adapters/express.ts";
import { createHonoMiddleware } from "../src/adapters/hono.ts";
import { createNodeListener } from "../src/adapters/node.ts";
import { guardDocument } from "../src/guarded-document.ts";
import { createSandbox, type Sandbox } from "../src/handler.ts";
import { FRAME, HTML, KEY, settings } from "./sandbox-stage.ts";

// Real servers, real sockets: what a web framework does to addresses, bodies and headers on the way
// is what these tests are about.

interface Running {
  sandbox: Sandbox;
  port: number;
}

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(make: (sandbox: Sandbox) => Server): Promise<Running> {
  // The port has to be known before the Sandbox is, and the Sandbox before the server.
  const holder: { sandbox?: Sandbox } = {};
  const through: Sandbox = new Proxy({} as Sandbox, {
    get: (_, key) => Reflect.get(holder.sandbox as Sandbox, key),
  });
  const server = make(through);
  servers.push(server);
  if (!server.listening) await new Promise((done) => server.listen(0, "127.0.0.1", () => done(0)));
  const { port } = server.address() as AddressInfo;
  holder.sandbox = createSandbox({
    origins: { tier: "localhost", hosts: ["http://app.localhost:1"], port, key: KEY },
  });
  return { sandbox: holder.sandbox, port };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Requests an address by its name; `fetch` doesn't allow the headers that a browser sends. */
function ask(
  url: string,
  { method = "GET", headers = FRAME, body = "" }: Partial<Record<string, unknown>> = {},
): Promise<Answer> {
  const { host, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: pathname + search,
        method: String(method),
        headers: { host, ...(headers as object) },
      },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk) => {
          text += chunk;
        });
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const node = (sandbox: Sandbox): Server => createServer(createNodeListener(sandbox));
const onExpress = (sandbox: Sandbox): Server => {
  const app = express();
  app.use("/", createExpressMiddleware(sandbox));
  app.use((_request, response) => void response.status(418).send("the app's own"));
  return createServer(app as RequestListener);
};
const onHono = (sandbox: Sandbox): Server => {
  const app = new Hono();
  app.use(createHonoMiddleware(sandbox));
  app.all("*", (context) => context.text("the app's own", 418));
  return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
};

describe.each([
  ["node", node],
  ["express", onExpress],
  ["hono", onHono],
])("on %s", (name, make) => {
  test("a View goes from registration to its document, by names below localhost", async () => {
    const { sandbox } = await listen(make);
    const { proxyUrl } = await sandbox.register({
      server: "weather",
      resource: "ui://weather/main",
      html: HTML,
      meta: { csp: { connectDomains: ["https://api.example.org"] } },
    });
    const page = await ask(proxyUrl);
    expect(page.status).toBe(200);
    const view = String(settings(page.text).view);
    expect(new URL(view).hostname).toMatch(/^[a-z2-7]{32}\.localhost$/);
    const document = await ask(view);
    expect(document).toMatchObject({ status: 200, text: guardDocument(HTML) });
    expect(document.headers["content-security-policy"]).toContain(" https://api.example.org;");
    expect(document.headers["connection-allowlist"]).toBe(
      '("https://api.example.org");redirects=allow;report-to=view',
    );
    expect(document.headers["set-cookie"]).toBeUndefined();
    expect((await ask(view)).status).toBe(410);
  });

  test("the entrance registers with a real body", async () => {
    const { sandbox } = await listen(make);
    const { proxy } = sandbox.origins;
    const { token } = settings((await ask(`${proxy}/`)).text);
    const headers = {
      origin: proxy,
      "sec-fetch-site": "same-origin",
      "sec-fetch-dest": "empty",
      "content-type": "application/json",
      "vitrine-token": token,
    };
    const html = `<p>é${"x".repeat(300_000)}`;
    const made = await ask(`${proxy}/views`, {
      method: "POST",
      headers,
      body: JSON.stringify({ html }),
    });
    expect(made.status).toBe(201);
    const page = await ask(`${proxy}${JSON.parse(made.text).path}`);
    const document = await ask(String(settings(page.text).view));
    expect(document.text).toBe(guardDocument(html));
  });

  test("what browsers send by themselves is not enough, and top-level loads are refused", async () => {
    const { sandbox } = await listen(make);
    const { proxyUrl } = await sandbox.register({ server: "s", resource: "r", html: HTML });
    const top = { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };
    expect((await ask(proxyUrl, { headers: top })).status).toBe(403);
    expect((await ask(proxyUrl, { headers: {} })).status).toBe(403);
  });

  test("another host name is not ours (G125)", async () => {
    const { port } = await listen(make);
    const expected = name === "node" ? 404 : 418;
    for (const host of ["evil.example", `localhost:${port}`, `127.0.0.1:${port}`]) {
      const answer = await ask(`http://127.0.0.1:${port}/`, { headers: { ...FRAME, host } });
      expect(answer.status).toBe(expected);
    }
  });

  test("a path cannot choose the host, and odd requests do not bring the server down", async () => {
    const { sandbox, port } = await listen(make);
    const { host } = new URL(sandbox.origins.proxy);
    for (const [line, ...headers] of [
      [`GET //${host}/ HTTP/1.1`, "Host: evil.example"],
      [`GET http://${host}/ HTTP/1.1`, "Host: evil.example"],
      ["GET / HTTP/1.1", "Host: a b"],
      ["GET / HTTP/1.1", "Host: "],
      ["TRACE / HTTP/1.1", `Host: ${host}`],
      ["OPTIONS * HTTP/1.1", `Host: ${host}`],
    ]) {
      const answer = await raw(port, `${[line, ...headers].join("\r\n")}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 4/);
    }
    expect((await ask(`${sandbox.origins.proxy}/`)).status).toBe(200);
  });

  test("a body without end is cut off", async () => {
    const { sandbox, port } = await listen(make);
    const { host, origin } = new URL(sandbox.origins.proxy);
    const { token } = settings((await ask(`${origin}/`)).text);
    const head = [
      "POST /views HTTP/1.1",
      `Host: ${host}`,
      `Origin: ${origin}`,
      "Sec-Fetch-Site: same-origin",
      "Sec-Fetch-Dest: empty",
      "Content-Type: application/json",
      `Vitrine-Token: ${token}`,
      "Content-Length: 999999999",
    ].join("\r\n");
    expect(await raw(port, `${head}\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413/);
  });
});

/** Writes bytes to a socket and reads the first answer. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.once("data", (chunk) => {
      resolve(chunk.toString("latin1"));
      socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed without an answer")));
  });
}

test("Express keeps the address of a request when it mounts us below a path", async () => {
  const holder: { sandbox?: Sandbox } = {};
  const app = express();
  app.use("/tools", (incoming, outgoing, next) =>
    createExpressMiddleware(holder.sandbox as Sandbox)(incoming, outgoing, next),
  );
  app.use((_request, response) => void response.status(418).send(""));
  const server = createServer(app as RequestListener);
  servers.push(server);
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(0)));
  const { port } = server.address() as AddressInfo;
  const host = `http://localhost:${port}`;
  holder.sandbox = createSandbox({
    origins: { tier: "single-origin", hosts: [host], prefix: "/tools/views", key: KEY },
  });
  const { proxyUrl } = await holder.sandbox.register({ server: "s", resource: "r", html: HTML });
  const page = await ask(proxyUrl);
  expect(page.status).toBe(200);
  expect(await ask(String(settings(page.text).view))).toMatchObject({
    status: 200,
    text: guardDocument(HTML),
  });
  expect((await ask(`${host}/tools/other`)).status).toBe(418);
});

test("a client of `fetch` gets the same refusals", async () => {
  const { port } = await listen(node);
  const response = await fetch(`http://127.0.0.1:${port}/`, { redirect: "error" });
  expect(response.status).toBe(404);
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});
