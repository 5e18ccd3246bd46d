// A host without a screen: it logs a user in from the gateway's address alone, and lists or calls tools.
//
//   node host.mjs ann
//   node host.mjs ann ledger__pay '{ "to": "bob", "amount": 20 }'

import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

const [user, tool, given = "{}"] = process.argv.slice(2);
const url = new URL("http://localhost:8090/mcp");
const stored = {};
let loginPage;
const login = {
  redirectUrl: "http://127.0.0.1:8099/callback",
  clientMetadata: {
    client_name: "A host without a screen",
    redirect_uris: ["http://127.0.0.1:8099/callback"],
    token_endpoint_auth_method: "none",
    application_type: "native",
  },
  clientInformation: () => stored.client,
  saveClientInformation: (client) => {
    stored.client = client;
  },
  tokens: () => stored.tokens,
  saveTokens: (tokens) => {
    stored.tokens = tokens;
  },
  codeVerifier: () => stored.verifier,
  saveCodeVerifier: (verifier) => {
    stored.verifier = verifier;
  },
  discoveryState: () => stored.discovery,
  saveDiscoveryState: (state) => {
    stored.discovery = state;
  },
  redirectToAuthorization: (page) => {
    loginPage = page;
  },
};

/** Fills in the pages of the identity provider, as a person would in a browser. */
async function logIn(page) {
  const cookies = new Map();
  let next = page;
  let form;
  for (let step = 0; step < 12; step++) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const answer = await fetch(next, {
      redirect: "manual",
      headers: { cookie },
      ...(form && { method: "POST", body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      cookies.set(name, value);
    }
    form = undefined;
    const location = answer.headers.get("location");
    if (location === null) {
      const html = await answer.text();
      const isLogin = html.includes('name="login"');
      form = new URLSearchParams(
        isLogin ? { prompt: "login", login: user, password: "any" } : { prompt: "consent" },
      );
      next = new URL(/<form[^>]* action="([^"]+)"/.exec(html)[1], next);
    } else {
      next = new URL(location, next);
      if (next.origin !== page.origin) return next.searchParams;
    }
  }
  throw new Error("The log-in doesn't end.");
}

const connect = async () => {
  const client = new Client({ name: "host", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(url, { authProvider: login });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await logIn(loginPage));
    return connect();
  }
};

try {
  const client = await connect();
  if (tool === undefined) {
    const { tools } = await client.listTools();
    console.log(tools.map(({ name }) => name).join("\n") || "No tools.");
  } else {
    const { content } = await client.callTool({ name: tool, arguments: JSON.parse(given) });
    for (const { text } of content) console.log(text);
  }
  await client.close();
} catch (error) {
  // A refused request has the gateway's own words in its body.
  const [, words] = /"message":"([^"]+)"/.exec(error.message) ?? [];
  console.log(`Refused: ${words ?? error.message}`);
  process.exitCode = 1;
}
