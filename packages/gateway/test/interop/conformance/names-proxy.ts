// A client that knows the combined endpoint, for a tool that doesn't: it adds the name of the one server to
// requests and removes it from responses.

import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** The combined endpoint with the names of one server. */
export interface NamesProxy extends AsyncDisposable {
  url: string;
}

/** Starts a proxy to a combined endpoint. */
export async function openNamesProxy(target: string, server: string): Promise<NamesProxy> {
  const { port } = new URL(target);
  const proxy = createServer(async (request, response) => {
    const text = await textOf(request);
    const body = prefixed(text, server);
    const name = request.headers["mcp-name"];
    const method = request.headers["mcp-method"];
    const headers: NodeJS.Dict<string | string[]> = {
      ...request.headers,
      host: request.headers.host?.replace(/:\d+$/, `:${port}`),
      "content-length": `${Buffer.byteLength(body)}`,
    };
    const { origin } = request.headers;
    if (origin !== undefined)
      headers.origin = origin.replace(/(127\.0\.0\.1|localhost):\d+$/, `$1:${port}`);
    if (name !== undefined) headers["mcp-name"] = prefixedName(`${method}`, `${name}`, server);
    const onward = forward(target, { method: request.method, headers });
    onward.on("response", (answer) => {
      const { "content-length": _length, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => response.write(stripped(chunk, server)));
      answer.on("end", () => response.end());
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    onward.end(body);
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      proxy.close().closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function prefixedName(method: string, name: string, server: string): string {
  return method === "resources/read" ? `vitrine://${server}/${name}` : `${server}__${name}`;
}

function prefixed(text: string, server: string): string {
  let message: { method?: string; params?: Record<string, unknown> };
  try {
    message = JSON.parse(text);
  } catch {
    return text;
  }
  const { method = "", params } = message ?? {};
  if (!params) return text;
  const ref = params.ref as { name?: string; uri?: string } | undefined;
  if (typeof params.name === "string") params.name = prefixedName(method, params.name, server);
  if (typeof params.uri === "string") params.uri = `vitrine://${server}/${params.uri}`;
  if (ref?.name !== undefined) ref.name = `${server}__${ref.name}`;
  if (ref?.uri !== undefined) ref.uri = `vitrine://${server}/${ref.uri}`;
  return JSON.stringify(message);
}

function stripped(text: string, server: string): string {
  return text.replaceAll(`vitrine://${server}/`, "").replaceAll(`"${server}__`, '"');
}
