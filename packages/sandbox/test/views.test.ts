import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { GUARD_SCRIPT } from "../src/guard-script.ts";
import { guardDocument } from "../src/guarded-document.ts";
import { RELAY_SCRIPT } from "../src/relay-script.ts";
import {
  DOMAIN,
  directives,
  FRAME,
  HOST,
  HTML,
  PROXY,
  SINGLE,
  Stage,
  settings,
} from "./sandbox-stage.ts";

const everything = {
  csp: {
    connectDomains: ["https://api.example.org", "wss://rt.example.org"],
    resourceDomains: ["https://cdn.example.net"],
    frameDomains: ["https://maps.example.com"],
    baseUriDomains: ["https://base.example.com"],
  },
  permissions: { camera: {}, clipboardWrite: {} },
};
const approving = {
  policy: {
    approved: [{ list: "frameDomains", source: "https://maps.example.com" }] as const,
    permissions: ["camera"] as const,
  },
};

const clearUrlOf = (viewUrl: string): string => viewUrl.replace("/v/", "/c/");

describe("the address that clears a view's storage", () => {
  test("answers a frame under the view's own name, and no other request", async () => {
    const stage = new Stage();
    const { viewUrl } = await stage.open();
    const url = clearUrlOf(viewUrl);
    const response = await stage.frame(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("clear-site-data")).toBe('"storage"');
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const other = await stage.open({ server: "other" });
    const crossed = new URL(new URL(url).pathname, other.viewUrl).href;
    for (const refused of [await stage.frame(crossed), await stage.get(url)]) {
      expect(refused.ok).toBe(false);
      expect(refused.headers.has("clear-site-data")).toBe(false);
    }
  });

  test("does not exist for a view without an origin", async () => {
    const { page } = await new Stage({ origins: SINGLE }).open();
    expect(settings(await page.text())).not.toHaveProperty("clear");
  });
});

describe("the document of a View", () => {
  test("is served byte for byte but for the guard, under the label of its server", async () => {
    const stage = new Stage();
    const html = `\ufeff<!doctype html>\r\n<p>é 𝄞 </p>\0<script>"</script>"</script>`;
    const { viewUrl, viewOrigin, htmlHash } = await stage.open({ html });
    expect(new URL(viewUrl).origin).toBe(viewOrigin);
    expect(viewUrl).toMatch(/^https:\/\/[a-z2-7]{32}\.usercontent\.example\/v\/[a-z2-7]{32}$/);
    const response = await stage.frame(viewUrl);
    const bytes = Buffer.from(await response.arrayBuffer());
    const start = "\ufeff<!doctype html>\r\n";
    const guarded = html.replace(start, `${start}<script>${GUARD_SCRIPT}</script>`);
    expect(bytes.equals(Buffer.from(guarded))).toBe(true);
    expect(htmlHash).toBe(createHash("sha256").update(html).digest("hex"));
  });

  test("SBX-04, SBX-08: without metadata its headers are these and no others", async () => {
    const stage = new Stage();
    const { viewUrl, viewOrigin, viewId } = await stage.open();
    const { headers, status } = await stage.frame(viewUrl);
    expect(status).toBe(200);
    const { "permissions-policy": permissions, ...others } = Object.fromEntries(headers);
    expect(permissions).toMatch(/^accelerometer=\(\), .*xr-spatial-tracking=\(\)$/);
    expect(permissions).not.toContain("self");
    expect(others).toEqual({
      "cache-control": "no-store",
      "connection-allowlist": "();redirects=allow;report-to=view",
      "content-security-policy": `default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob: data:; style-src 'unsafe-inline' blob: data:; img-src data: blob:; font-src data: blob:; media-src data: blob:; connect-src data: blob:; worker-src blob: data:; frame-src 'none'; object-src 'none'; manifest-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors ${PROXY} ${HOST}; sandbox allow-scripts allow-same-origin allow-forms; report-to view`,
      "content-type": "text/html; charset=utf-8",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "cross-origin",
      "origin-agent-cluster": "?1",
      "referrer-policy": "no-referrer",
      "reporting-endpoints": `view="${viewOrigin}/r/${viewId}"`,
      "x-content-type-options": "nosniff",
      "x-dns-prefetch-control": "off",
    });
  });

  test.each([
    ["loads nothing", {}, "require-corp", "cross-origin"],
    [
      "loads from elsewhere",
      { resourceDomains: ["https://cdn.example.net"] },
      "credentialless",
      "cross-origin",
    ],
    [
      "connects elsewhere",
      { connectDomains: ["https://api.example.org"] },
      "credentialless",
      "cross-origin",
    ],
    ["embeds frames", { frameDomains: ["https://maps.example.com"] }, null, "same-origin"],
  ])(
    "a View that %s can be shown in an isolated page, unless that changes what it loads",
    async (_what, csp, embedder, resource) => {
      const stage = new Stage(approving);
      const { viewUrl, page } = await stage.open({ meta: { csp } });
      const { headers } = await stage.frame(viewUrl);
      expect(headers.get("cross-origin-embedder-policy")).toBe(embedder);
      expect(headers.get("cross-origin-resource-policy")).toBe(resource);
      // A page with the policy can only embed a View that has one.
      const outer = page.headers.get("cross-origin-embedder-policy");
      expect(outer).toBe(embedder && "require-corp");
      expect(page.headers.get("cross-origin-resource-policy")).toBe(resource);
    },
  );

  test("SBX-04, SBX-05, SBX-06, SBX-07: declared and approved domains are in the header, each in its place", async () => {
    const stage = new Stage(approving);
    const { viewUrl, grant, egress, allow, rejected } = await stage.open({ meta: everything });
    const response = await stage.frame(viewUrl);
    const policy = directives(response);
    expect(policy.get("connect-src")).toMatch(/ https:\/\/api\.example\.org wss:\/\/rt\.example/);
    expect(policy.get("img-src")).toBe("data: blob: https://cdn.example.net");
    expect(policy.get("frame-src")).toBe("https://maps.example.com");
    expect(policy.get("base-uri")).toBe("https://base.example.com");
    expect(policy.get("object-src")).toBe("'none'");
    expect(response.headers.get("connection-allowlist")).toContain('"https://rt.example.org"');
    expect(grant).toEqual({ csp: everything.csp, permissions: { camera: {} } });
    expect(egress).toHaveLength(5);
    // SBX-09: the same in the header as in the attribute.
    expect(allow).toBe("camera");
    expect(response.headers.get("permissions-policy")).toContain("camera=(self)");
    expect(rejected).toMatchObject([{ value: '"clipboardWrite"', code: "not-granted" }]);
  });

  test("a View that declares too much is shown with less, not refused", async () => {
    const stage = new Stage();
    const meta = { csp: { connectDomains: ["*", "https://ok.example.org", "https://a.com/x"] } };
    const { viewUrl, rejected } = await stage.open({ meta });
    expect(rejected.map(({ code }) => code)).toEqual(["everything", "path"]);
    const response = await stage.frame(viewUrl);
    expect(directives(response).get("connect-src")).toBe("data: blob: https://ok.example.org");
  });

  test("the host's own names and those of other Views cannot be declared", async () => {
    const stage = new Stage({ policy: { ownDomains: ["api-of-host.com"] } });
    const own = [
      HOST,
      "https://a.chat.example",
      "https://x.usercontent.example",
      "api-of-host.com",
    ];
    const names = { internalDomains: ["example"] };
    const { egress, rejected } = await stage.open({
      meta: { csp: { connectDomains: own } },
      policy: { ...names, ownDomains: [] },
    });
    expect(egress).toEqual([]);
    expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(["own-domain"]));
  });
});

describe("one use, and soon", () => {
  test("a second load gets nothing: neither reload nor replay (B37, E104)", async () => {
    const stage = new Stage();
    const { viewUrl } = await stage.open();
    expect((await stage.frame(viewUrl)).status).toBe(200);
    const again = await stage.frame(viewUrl);
    expect(again.status).toBe(410);
    expect(await again.text()).not.toContain("<");
    expect((await stage.frame(`${viewUrl}?again`)).status).toBe(410);
  });

  test("of twenty loads at once one gets the document (G146)", async () => {
    const stage = new Stage();
    const { viewUrl } = await stage.open();
    const loads = await Promise.all(Array.from({ length: 20 }, () => stage.frame(viewUrl)));
    const statuses = loads.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(410)]);
  });

  test("after a minute the page and the document are gone", async () => {
    const stage = new Stage();
    const { viewUrl, proxyUrl, expires } = await stage.open();
    expect(expires).toBe(stage.now + 60_000);
    stage.now += 59_999;
    expect((await stage.frame(proxyUrl)).status).toBe(200);
    stage.now += 1;
    expect((await stage.frame(proxyUrl)).status).toBe(410);
    expect((await stage.frame(viewUrl)).status).toBe(410);
  });

  test("a guess of the right form gets the same response as one that came too late", async () => {
    const stage = new Stage();
    const { viewOrigin } = await stage.open();
    const guess = await stage.frame(`${viewOrigin}/v/${"a".repeat(32)}`);
    expect(guess.status).toBe(410);
    for (const path of ["/v/short", `/v/${"A".repeat(32)}`, `/v/${"a".repeat(33)}`, "/v/", "/v"]) {
      expect((await stage.frame(`${viewOrigin}${path}`)).status).toBe(404);
    }
  });

  test("under another View's name it is not there, and not used up either", async () => {
    const stage = new Stage();
    const { viewUrl } = await stage.open();
    const other = await stage.open({ server: "other" });
    const path = new URL(viewUrl).pathname;
    expect((await stage.frame(`${other.viewOrigin}${path}`)).status).toBe(410);
    expect((await stage.frame(`${PROXY}${path}`)).status).toBe(404);
    expect((await stage.frame(viewUrl)).status).toBe(200);
  });

  test.each([
    ["opened by itself (B49)", { "sec-fetch-dest": "document" }],
    ["fetched by a script", { "sec-fetch-dest": "empty", "sec-fetch-mode": "cors" }],
    ["loaded as a script", { "sec-fetch-dest": "script", "sec-fetch-mode": "no-cors" }],
    ["embedded as an object", { "sec-fetch-dest": "object" }],
    ["fetched with a frame's name", { "sec-fetch-mode": "cors" }],
    ["fetched ahead of time", { "sec-purpose": "prefetch" }],
  ])("%s, document and page answer 403 and stay unused", async (_what, headers) => {
    const stage = new Stage();
    const { viewUrl, proxyUrl } = await stage.open();
    for (const url of [viewUrl, proxyUrl, `${PROXY}/`]) {
      const response = await stage.frame(url, headers);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain("<");
    }
    expect((await stage.frame(viewUrl)).status).toBe(200);
  });

  test("a browser that does not say what it is doing is refused", async () => {
    const stage = new Stage();
    const { viewUrl, proxyUrl } = await stage.open();
    for (const url of [viewUrl, proxyUrl, `${PROXY}/`]) {
      expect((await stage.get(url)).status).toBe(403);
    }
  });
});

describe("the page of the relay", () => {
  test("allows one script by its hash, the view and its clearing by their addresses, and the pinned hosts", async () => {
    const stage = new Stage();
    const { page, viewUrl, viewOrigin } = await stage.open();
    const hash = createHash("sha256").update(RELAY_SCRIPT).digest("base64");
    const { "permissions-policy": permissions, ...others } = Object.fromEntries(page.headers);
    expect(permissions).not.toContain(viewOrigin);
    expect(others).toEqual({
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'; frame-src ${viewUrl} ${clearUrlOf(viewUrl)}; frame-ancestors ${HOST}; base-uri 'none'; form-action 'none'`,
      "content-type": "text/html; charset=utf-8",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
  });

  test("its policy has nothing of the View's: a declared frame cannot take the View's place (B39)", async () => {
    const stage = new Stage(approving);
    const { page, viewUrl } = await stage.open({ meta: everything });
    expect(directives(page).get("frame-src")).toBe(`${viewUrl} ${clearUrlOf(viewUrl)}`);
    for (const name of ["maps.example.com", "cdn.example.net", "unsafe"]) {
      expect(page.headers.get("content-security-policy")).not.toContain(name);
    }
  });

  test("has the script as it was hashed, and its data next to it", async () => {
    const stage = new Stage({ relay: { rate: 7 } });
    const view = await stage.open();
    const { page, viewUrl, viewOrigin, viewId, grant, egress, rejected } = view;
    const { htmlHash, policyHash } = view;
    const html = await page.text();
    expect(/<script>([\s\S]*?)<\/script>/.exec(html)?.[1]).toBe(RELAY_SCRIPT);
    expect(RELAY_SCRIPT).not.toMatch(/<\/script|<!--/i);
    expect(settings(html)).toEqual({
      hosts: [HOST],
      view: viewUrl,
      clear: clearUrlOf(viewUrl),
      origin: viewOrigin,
      mode: "port",
      registered: { viewId, grant, egress, rejected, htmlHash, policyHash },
      allow: "",
      sandbox: "allow-scripts allow-same-origin allow-forms",
      limits: { rate: 7 },
    });
  });

  test("its address reveals nothing of the View's, nor the other way round (E106)", async () => {
    const { proxyUrl, viewUrl, viewId } = await new Stage().open();
    expect(proxyUrl).not.toContain(viewId);
    expect(viewUrl).not.toContain(proxyUrl.slice(-32));
  });

  test("SBX-09: granted features pass through it to the View's origin alone", async () => {
    const stage = new Stage(approving);
    const { page, viewOrigin } = await stage.open({ meta: everything });
    const policy = page.headers.get("permissions-policy");
    expect(policy).toContain(`camera=(self "${viewOrigin}")`);
    expect(policy).toContain("microphone=()");
    expect(settings(await page.text()).allow).toBe("camera");
  });

  test("a View can be pinned to one of several hosts", async () => {
    const hosts = [HOST, "https://other-host.example"];
    const stage = new Stage({ origins: { ...DOMAIN, hosts } });
    const both = await stage.open();
    const one = await stage.open({ host: HOST });
    expect(directives(both.page).get("frame-ancestors")).toBe(hosts.join(" "));
    expect(directives(one.page).get("frame-ancestors")).toBe(HOST);
    expect(directives(await stage.frame(one.viewUrl)).get("frame-ancestors")).toBe(
      `${PROXY} ${HOST}`,
    );
    await expect(stage.open({ host: "https://evil.example" })).rejects.toMatchObject({
      code: "bad-origin",
    });
  });
});

test("a View without an origin of its own is registered as one", async () => {
  const stage = new Stage();
  expect((await stage.open({ sandbox: "allow-scripts" })).viewOrigin).toBe("null");
  expect((await stage.open({ sandbox: "allow-same-origin" })).viewOrigin).toMatch(/^https:/);
});

test("S45: one version of an app has one origin, and no storage of another version", async () => {
  const stage = new Stage();
  const origin = async (view: object): Promise<string> => (await stage.open(view)).viewOrigin;
  const origins = await Promise.all([
    origin({}),
    origin({}),
    origin({ html: "<p>new version" }),
    origin({ user: "ann" }),
    origin({ server: "other" }),
    origin({ resource: "ui://weather/other" }),
    origin({ meta: { csp: { connectDomains: ["https://a.com"] } } }),
  ]);
  expect(origins[1]).toBe(origins[0]);
  expect(new Set(origins).size).toBe(6);
});

test("a development sandbox lets Views reach loopback, but not the host's own port", async () => {
  const stage = new Stage({
    origins: {
      tier: "localhost",
      hosts: ["http://app.localhost:5173"],
      port: 5174,
      key: DOMAIN.key,
    },
  });
  const { egress, page } = await stage.open({
    meta: { csp: { connectDomains: ["http://localhost:3000", "http://localhost:5173"] } },
  });
  expect(egress).toEqual(["http://localhost:3000"]);
  expect(directives(page).get("frame-ancestors")).toBe("http://app.localhost:5173");
});

test("the html of one View never reaches another's page or header", async () => {
  const stage = new Stage();
  const { page, viewUrl } = await stage.open({ html: "<b>secret</b>" });
  expect(await page.text()).not.toContain("secret");
  const other = await stage.open();
  expect(await (await stage.frame(other.viewUrl)).text()).toBe(guardDocument(HTML));
  expect(await (await stage.frame(viewUrl, FRAME)).text()).toBe(guardDocument("<b>secret</b>"));
});
