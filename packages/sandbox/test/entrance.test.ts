import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { guardDocument } from "../src/guarded-document.ts";
import type { ViewIdentity } from "../src/origins.ts";
import { createMemoryStore } from "../src/view-store.ts";
import {
  DOMAIN,
  directives,
  ENTRANCE,
  HOST,
  HTML,
  PROXY,
  Stage,
  settings,
} from "./sandbox-stage.ts";

/** The page that a registration leads to, and the document behind it. */
async function follow(
  stage: Stage,
  response: Response,
): Promise<{ page: Response; data: Record<string, unknown>; view: Response }> {
  const { path } = await response.json();
  const page = await stage.frame(`${PROXY}${path}`);
  const data = settings(await page.clone().text());
  return { page, data, view: await stage.frame(String(data.view)) };
}

describe("the entrance", () => {
  test("may register and nothing else, for the pinned hosts", async () => {
    const stage = new Stage();
    const page = await stage.frame(`${PROXY}/`);
    expect(page.status).toBe(200);
    const policy = directives(page);
    expect([...policy.keys()]).toEqual([
      "default-src",
      "script-src",
      "connect-src",
      "frame-src",
      "frame-ancestors",
      "base-uri",
      "form-action",
    ]);
    expect(policy.get("script-src")).toMatch(/^'sha256-[A-Za-z0-9+/]{43}='$/);
    expect(policy.get("connect-src")).toBe(`${PROXY}/views`);
    expect(policy.get("frame-src")).toBe("'none'");
    expect(policy.get("frame-ancestors")).toBe(HOST);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(settings(await page.text()))).toEqual(["hosts", "token"]);
  });

  test("takes a resource and answers with the path of its page", async () => {
    const stage = new Stage();
    const response = await stage.enter({
      csp: { connectDomains: ["https://api.example.org"] },
      sandbox: "allow-scripts allow-top-navigation",
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("content-type")).toBe("application/json");
    const { data, view } = await follow(stage, response);
    // SBX-14: the wish of the Host, without what leads out.
    expect(data).toMatchObject({ mode: "window", sandbox: "allow-scripts", hosts: [HOST] });
    expect(await view.text()).toBe(guardDocument(HTML));
    expect(directives(view).get("connect-src")).toBe("data: blob: https://api.example.org");
    expect(directives(view).get("sandbox")).toBe("allow-scripts");
  });

  test("gives each View an origin of its own, because nobody said whose it is", async () => {
    const stage = new Stage();
    const one = await follow(stage, await stage.enter());
    const two = await follow(stage, await stage.enter());
    expect(one.data.origin).not.toBe(two.data.origin);
  });
});

describe("POST /views refuses", () => {
  test.each<[string, Record<string, string>, number]>([
    ["another origin", { origin: HOST }, 403],
    ["an opaque origin", { origin: "null" }, 403],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["a sibling site", { "sec-fetch-site": "same-site" }, 403],
    ["a form", { "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" }, 403],
    ["a form's type", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["text that looks like JSON", { "content-type": "text/plain" }, 415],
    ["no type", { "content-type": "" }, 415],
  ])("%s (G126)", async (_what, headers, status) => {
    const response = await new Stage().enter({}, { ...ENTRANCE, ...headers });
    expect(response.status).toBe(status);
  });

  test("a request without what browsers add", async () => {
    const stage = new Stage();
    for (const name of ["origin", "sec-fetch-site", "sec-fetch-dest"]) {
      const { [name]: _, ...headers } = ENTRANCE;
      expect((await stage.enter({}, headers)).status).toBe(403);
    }
  });

  test.each([
    ["nothing", ""],
    ["no JSON", "{html:"],
    ["a list", "[]"],
    ["null", "null"],
    ["a string", '"<p>"'],
    ["no html", "{}"],
    ["html as a list", '{"html":["<p>"]}'],
    ["html of a prototype", '{"__proto__":{"html":"<p>"}}'],
  ])("%s as body", async (_what, body) => {
    const response = await new Stage().postView(body);
    expect(response.status).toBe(400);
    expect(await response.text()).toBe("Send an object with html.");
  });

  test("bytes that aren't UTF-8 (E103)", async () => {
    const stage = new Stage();
    const body = Buffer.concat([
      Buffer.from('{"html":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ]);
    expect((await stage.postView(body)).status).toBe(400);
  });

  test("half characters, which JSON can smuggle past UTF-8", async () => {
    const stage = new Stage();
    expect((await stage.postView('{"html":"\\ud800"}')).status).toBe(400);
  });

  test("more than it takes, by length, by bytes and by html", async () => {
    const stage = new Stage({ limits: { html: 1000 } });
    expect((await stage.enter({ html: "x".repeat(1000) })).status).toBe(201);
    for (const length of [1001, 100_000]) {
      const response = await stage.enter({ html: "x".repeat(length) });
      expect(response.status).toBe(413);
      expect(await response.text()).toBe(
        "The html has more than 1000 bytes. Make it smaller, or raise limits.html of the sandbox.",
      );
    }
    // A body without length that does not end: reading stops at the bound.
    let sent = 0;
    const endless = new ReadableStream({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(10_000).fill(32));
      },
    });
    expect((await stage.postView(endless)).status).toBe(413);
    expect(sent).toBeLessThan(20);
  });

  test("a token that is missing, forged, changed or of another deployment", async () => {
    const stage = new Stage();
    const token = await stage.token();
    const other = new Stage({ origins: { ...DOMAIN, key: "another key of thirty-two bytes!" } });
    const [until = "", name = "", mark = ""] = token.split(".");
    const forged = [
      undefined,
      "",
      "x",
      `${Number(until) + 1}.${name}.${mark}`,
      `${until}.${"a".repeat(32)}.${mark}`,
      `${until}.${name}.${"a".repeat(32)}`,
      `${until}.${name}.`,
      `${token}x`,
      await other.token(),
    ];
    for (const wrong of forged) {
      const headers = { ...ENTRANCE, ...(wrong !== undefined && { "vitrine-token": wrong }) };
      const response = await stage.post(`${PROXY}/views`, JSON.stringify({ html: HTML }), headers);
      expect(response.status).toBe(401);
    }
  });

  test("a token after ten minutes, or a second time", async () => {
    const stage = new Stage();
    const enter = (token: string): Promise<Response> =>
      stage.enter({}, { ...ENTRANCE, "vitrine-token": token });
    const old = await stage.token();
    stage.now += 10 * 60_000;
    expect((await enter(old)).status).toBe(401);
    const fresh = await stage.token();
    const twice = await Promise.all([enter(fresh), enter(fresh)]);
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 401]);
    stage.now += 9 * 60_000;
    expect((await enter(fresh)).status).toBe(401);
  });

  test("when the store is full", async () => {
    const stage = new Stage({ store: createMemoryStore({ entries: 6 }) });
    const response = await stage.enter();
    expect(response.status).toBe(503);
    expect(await response.text()).toBe("Refused.");
  });
});

describe("our Host at the entrance", () => {
  const vitrine = { server: "maps", resource: "ui://maps/main", tenant: "acme", user: "ann" };

  test("gets a port and what was decided", async () => {
    const stage = new Stage();
    const connectDomains = ["https://api.example.org", "*"];
    const one = await follow(stage, await stage.enter({ vitrine, csp: { connectDomains } }));
    expect(one.data.mode).toBe("port");
    expect(one.data.registered).toEqual({
      viewId: expect.stringMatching(/^[a-z2-7]{32}$/),
      grant: { csp: { connectDomains: ["https://api.example.org"] }, permissions: {} },
      egress: ["https://api.example.org"],
      rejected: [expect.objectContaining({ value: '"*"', code: "everything" })],
      htmlHash: createHash("sha256").update(HTML).digest("hex"),
      policyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(one.data).not.toHaveProperty("hold");
  });

  test("gets the origin that its own server would, with a credential", async () => {
    const stage = new Stage({ registration: "credential" });
    const enter = async (identity: ViewIdentity): Promise<unknown> => {
      const credential = await stage.sandbox.issueCredential(identity);
      const headers = { ...ENTRANCE, "vitrine-credential": credential };
      return (await follow(stage, await stage.enter({ vitrine }, headers))).data.origin;
    };
    const { viewOrigin } = await stage.open(vitrine);
    expect(await enter(vitrine)).toBe(viewOrigin);
    const { user: _, ...nobody } = vitrine;
    for (const other of [nobody, { ...vitrine, user: "bob" }, { ...vitrine, tenant: "other" }]) {
      expect(await enter(other)).not.toBe(viewOrigin);
    }
  });

  test("can have its View held", async () => {
    const stage = new Stage();
    const { data } = await follow(
      stage,
      await stage.enter({ vitrine: { ...vitrine, hold: true } }),
    );
    expect(data.hold).toBe(true);
  });

  test.each([
    ["null", null, "server"],
    ["a string", "maps", "server"],
    ["nothing in it", {}, "server"],
    ["no resource", { server: "maps" }, "resource"],
    ["a number for a server", { ...vitrine, server: 5 }, "server"],
    ["a list for a user", { ...vitrine, user: ["ann"] }, "user"],
    ["no tenant on purpose", { ...vitrine, tenant: null }, "tenant"],
    ["a name that is too long", { ...vitrine, resource: "x".repeat(2049) }, "resource"],
    ["a prototype", JSON.parse(`{"__proto__":{"server":"maps","resource":"ui://a"}}`), "server"],
  ])("is refused with %s, and told what is wrong", async (_what, claim, key) => {
    const seen: unknown[] = [];
    const stage = new Stage({ authorize: (_, registration) => seen.push(registration) > 0 });
    const response = await stage.enter({ vitrine: claim });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`"vitrine.${key}" has to be a string.`);
    expect(seen).toEqual([]);
  });

  test("is registered under the identity that `authorize` returns", async () => {
    const identity = { server: "maps", resource: "ui://maps/main", user: "from the ticket" };
    const seen: unknown[] = [];
    const stage = new Stage({
      authorize: (_request, registration) => {
        seen.push(registration.vitrine);
        return { identity };
      },
    });
    const { data } = await follow(
      stage,
      await stage.enter({ vitrine: { ...vitrine, hold: true } }),
    );
    expect(seen).toEqual([{ ...vitrine, hold: true }]);
    expect(data.origin).toBe((await stage.open(identity)).viewOrigin);
    // The Host still chooses the connection.
    expect(data).toMatchObject({ mode: "port", hold: true });
  });

  test("is recognised by vitrine: any other uses window messages, and receives no more than before", async () => {
    const stage = new Stage();
    const { data } = await follow(stage, await stage.enter({ hold: true, server: "maps" }));
    expect(data.mode).toBe("window");
    expect(data).not.toHaveProperty("registered");
    expect(data).not.toHaveProperty("hold");
  });
});

describe("authorize", () => {
  test("decides; whatever is not a clear yes is a no", async () => {
    for (const no of [false, undefined, null, 1, "yes"]) {
      const stage = new Stage({ authorize: () => no as boolean });
      const response = await stage.enter();
      expect(response.status).toBe(403);
      expect(await response.text()).toBe("Not allowed.");
    }
  });

  test("sees the registration, and no cookies: Views could have set them (C60)", async () => {
    const seen: unknown[] = [];
    const stage = new Stage({
      authorize: async ({ headers, url }, registration) => {
        seen.push(headers.get("cookie"), headers.get("x-ticket"), url, registration);
        return true;
      },
    });
    const headers = { ...ENTRANCE, cookie: "session=stolen", "x-ticket": "7" };
    await stage.enter({ csp: { connectDomains: ["https://a.com"] }, token2: "x" }, headers);
    const registration = {
      html: HTML,
      csp: { connectDomains: ["https://a.com"] },
      permissions: undefined,
    };
    expect(seen).toEqual([null, "7", `${PROXY}/views`, registration]);
  });

  test("sets the identity of the View, and its own limits", async () => {
    const identity = { user: "ann", server: "maps", resource: "ui://maps/main" };
    const stage = new Stage({
      authorize: () => ({ identity, policy: { unsafeEval: true } }),
    });
    const one = await follow(stage, await stage.enter());
    const two = await follow(stage, await stage.enter());
    expect(one.data.origin).toBe(two.data.origin);
    expect(directives(one.view).get("script-src")).toContain("'unsafe-eval'");
  });

  test("a hook that throws is a no, without a word of its error to the client", async () => {
    const stage = new Stage({
      authorize: () => {
        throw new Error("password of the database");
      },
    });
    const errors: unknown[] = [];
    const undo = stage.sandbox.onError((error) => errors.push(error));
    const response = await stage.enter();
    expect(response.status).toBe(500);
    expect(await response.text()).toBe("Internal error.");
    expect(errors).toMatchObject([{ message: "password of the database" }]);
    undo();
    await stage.enter();
    expect(errors).toHaveLength(1);
  });
});
