import { expect, test } from "vitest";
import { explainExchange, type LoginExchange } from "../../src/auth/login-exchange.ts";

const SERVER = new URL("https://example.com/mcp");
const METADATA = new URL("https://example.com/.well-known/oauth-protected-resource/mcp");
const ISSUER = new URL("https://login.example/.well-known/oauth-authorization-server");

const problemsOf = (exchange: Partial<LoginExchange> & { json?: object }): string[] => {
  const { json, ...rest } = exchange;
  const text = json && JSON.stringify(json);
  return [
    ...explainExchange({ method: "GET", url: SERVER, status: 200, text, ...rest }, SERVER).problems,
  ];
};
const challenge = (value?: string): string[] =>
  problemsOf({
    status: 401,
    headers: new Headers(value === undefined ? {} : { "www-authenticate": value }),
  });
const GOOD = {
  issuer: "https://login.example",
  registration_endpoint: "https://login.example/reg",
  code_challenge_methods_supported: ["S256"],
};

test("a good log-in has no problems", () => {
  expect(challenge(`Bearer resource_metadata="${METADATA.href}"`)).toEqual([]);
  const resource = { resource: SERVER.href, authorization_servers: ["https://login.example"] };
  expect(problemsOf({ url: METADATA, json: resource })).toEqual([]);
  expect(problemsOf({ url: ISSUER, json: GOOD })).toEqual([]);
});

test.each([
  ["a missing challenge", () => challenge(), /no WWW-Authenticate header/],
  ["another scheme first", () => challenge("Basic realm=x"), /starts with "Basic"/],
  [
    "no resource_metadata",
    () => challenge('Bearer scope="mcp"'),
    /Add resource_metadata="https:\/\/example\.com\/\.well-known\/oauth-protected-resource\/mcp"/,
  ],
  [
    "metadata elsewhere",
    () => challenge('Bearer resource_metadata="https://other.example/x"'),
    /another origin/,
  ],
  [
    "another resource",
    () =>
      problemsOf({
        url: METADATA,
        json: {
          resource: "https://bank.example/mcp",
          authorization_servers: ["https://a.example"],
        },
      }),
    /isn't this server/,
  ],
  [
    "a resource with a slash more",
    () =>
      problemsOf({
        url: METADATA,
        json: { resource: "https://example.com/", authorization_servers: ["https://a.example"] },
      }),
    /exactly the address that users type/,
  ],
  [
    "no issuer",
    () => problemsOf({ url: METADATA, json: { resource: SERVER.href } }),
    /"authorization_servers" is missing/,
  ],
  [
    "another issuer",
    () => problemsOf({ url: ISSUER, json: { ...GOOD, issuer: "https://evil.example" } }),
    /"issuer" is "https:\/\/evil\.example"/,
  ],
  [
    "no PKCE",
    () =>
      problemsOf({ url: ISSUER, json: { ...GOOD, code_challenge_methods_supported: ["plain"] } }),
    /doesn't contain S256/,
  ],
  [
    "no way to register",
    () => problemsOf({ url: ISSUER, json: { ...GOOD, registration_endpoint: undefined } }),
    /--client-id/,
  ],
  [
    "a page instead of JSON",
    () => problemsOf({ url: ISSUER, text: "<!doctype html>" }),
    /isn't a JSON object/,
  ],
  [
    "no connection",
    () => problemsOf({ url: ISSUER, failure: "the connection was refused" }),
    /There was no response: the connection was refused/,
  ],
])("names %s", (_, make, reason) => {
  expect(make().join("\n")).toMatch(reason);
});
