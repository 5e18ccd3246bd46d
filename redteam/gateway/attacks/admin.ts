import { excerpt, type GatewayAttack, unless, unlessTried } from "../attack.ts";
import { type AdminPort, openAdminPort, SECRET } from "../stage/admin-port.ts";
import type { GatewayStage } from "../stage/stage.ts";

// Another port of the same address is the same site, so the browser sends a strict cookie there.
const SITES = ["127.0.0.1", "evil.localhost"];

/** Attacks on the admin port and its console, in a browser where an operator is signed in. */
export const ADMIN_ATTACKS: readonly GatewayAttack[] = [
  {
    id: "admin-csrf",
    entries: [254],
    finding: "O8",
    title: "pages of other origins can't change anything at the admin port",
    run: (stage) =>
      withAdminPort(stage, {}, async (admin) => {
        const complaints: string[] = [];
        for (const host of SITES) {
          await admin.openAttacker(host, forgeries(`${admin.url}/api/servers/js/pause`));
          if (await admin.isPaused()) complaints.push(`a page of ${host} paused a server`);
        }
        // The same change of the console itself shows that the attack could have worked.
        const status = await admin.page.evaluate(async () => {
          const headers = { "content-type": "application/json", "vitrine-admin": "1" };
          const url = "/api/servers/js/pause";
          return (await fetch(url, { method: "POST", headers, body: "{}" })).status;
        });
        return [...complaints, ...unlessTried(status === 200, `the console itself got ${status}`)];
      }),
  },
  {
    id: "admin-rebinding",
    entries: [255],
    finding: "O8",
    title: "the admin port answers only to its own names",
    run: (stage) =>
      withAdminPort(stage, {}, async (admin) => {
        const complaints: string[] = [];
        const page = await admin.context.newPage();
        for (const name of ["rebound.localhost", "127.0.0.1.localhost", "localhost."]) {
          for (const path of ["/", "/api/session"]) {
            const answer = await page.goto(`http://${name}:${admin.port}${path}`);
            const status = answer?.status();
            if (status !== 421) complaints.push(`${path} under ${name}: HTTP ${status}`);
          }
        }
        const own = await page.goto(`${admin.url}/api/session`);
        return [...complaints, ...unlessTried(own?.status() === 200, "its own name fails too")];
      }),
  },
  {
    id: "admin-roles",
    entries: [256],
    finding: "O8",
    title: "tokens of users, tickets and viewers can't change anything at the admin port",
    run: (stage) => withAdminPort(stage, {}, (admin) => confuseRoles(admin)),
  },
  {
    id: "admin-stored-markup",
    entries: [257],
    finding: "O8",
    title: "text of servers and users is never markup in the console",
    run: (stage) => withAdminPort(stage, { TOOLS, VERSION: MARKUP }, (admin) => showMarkup(admin)),
  },
  {
    id: "admin-framing",
    entries: [258],
    finding: "O8",
    title: "another page can't frame the console, keep a handle on it, or load its data",
    run: (stage) =>
      withAdminPort(stage, {}, async (admin) => {
        const attacker = await admin.openAttacker("127.0.0.1", framings(admin.url));
        const found = await attacker.evaluate(
          () => (window as unknown as { found: Record<string, unknown> }).found,
        );
        const frames = attacker.frames().filter((frame) => frame.url().startsWith(admin.url));
        const shown = await Promise.all(frames.map((frame) => frame.content()));
        return [
          ...unless(!shown.some((html) => html.includes("Overview")), "the console is framed"),
          ...unless(found.isClosed === true, "the opener keeps a handle on the console"),
          ...unless(found.script === "error", `its data loads as a script: ${found.script}`),
          ...unless(found.read === "error", `its data can be read: ${excerpt(`${found.read}`)}`),
        ];
      }),
  },
];

async function withAdminPort(
  stage: GatewayStage,
  server: Readonly<Record<string, string>>,
  attack: (admin: AdminPort) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const admin = await openAdminPort(stage, server);
  try {
    return await attack(admin);
  } finally {
    await admin.close();
  }
}

/** Everything that a page can send without asking first, and with. */
function forgeries(url: string): string {
  return `
    const url = ${JSON.stringify(url)};
    const types = ["text/plain", "application/x-www-form-urlencoded", "application/json"];
    for (const type of types) {
      for (const mode of ["no-cors", "cors"]) {
        for (const more of [{}, { "vitrine-admin": "1" }]) {
          const headers = { "content-type": type, ...more };
          await fetch(url, { method: "POST", mode, credentials: "include", headers, body: "{}" }).catch(() => {});
        }
      }
    }
    navigator.sendBeacon(url, new Blob(["{}"], { type: "text/plain" }));
    for (const enctype of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const frame = document.body.appendChild(document.createElement("iframe"));
      frame.name = "target" + enctype.length;
      const form = document.body.appendChild(document.createElement("form"));
      Object.assign(form, { method: "POST", action: url, enctype, target: frame.name });
      const field = form.appendChild(document.createElement("input"));
      Object.assign(field, { name: '{"a":"', value: '"}' });
      form.submit();
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  `;
}

function framings(url: string): string {
  return `
    const url = ${JSON.stringify(url)};
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.src = url;
    const opened = window.open(url);
    const script = document.createElement("script");
    const loaded = new Promise((resolve) => {
      script.onload = () => resolve("loaded");
      script.onerror = () => resolve("error");
    });
    script.src = url + "/api/overview";
    document.head.append(script);
    const read = await fetch(url + "/api/overview", { credentials: "include" }).then((a) => a.text(), () => "error");
    await new Promise((resolve) => setTimeout(resolve, 1500));
    window.found = { isClosed: opened.closed, script: await loaded, read };
  `;
}

async function confuseRoles(admin: AdminPort): Promise<readonly string[]> {
  const { gateway, api } = admin;
  const alice = gateway.client("acme", "alice");
  const ticket = await alice.ticket("js", "ui://hostile/view");
  const complaints: string[] = [];
  const credentials: [string, object][] = [
    ["a user's token", { token: alice.token }],
    ["a view's ticket", { token: ticket }],
    ["a view's ticket as cookie", { headers: { cookie: `vitrine-admin=${ticket}` } }],
    ["a user without a role", { token: admin.token("bob", ["platform"]) }],
    ["a user called like a group", { token: admin.token("auditors", []) }],
  ];
  for (const [name, credential] of credentials) {
    const { status } = await api("/servers", credential);
    if (status !== 401 && status !== 403) complaints.push(`${name} reads: HTTP ${status}`);
  }
  const viewer = { token: admin.token("eve", ["auditors"]) };
  const seen = await api("/servers", viewer);
  const changes = ["/servers/js/pause", "/users/revoke", "/grants/revoke", "/servers/js/check"];
  for (const path of changes) {
    const { status } = await api(path, { ...viewer, method: "POST" });
    if (status !== 403) complaints.push(`a viewer changes ${path}: HTTP ${status}`);
  }
  if (await admin.isPaused()) complaints.push("a viewer paused a server");
  const atGateway = await fetch(`http://127.0.0.1:${gateway.port}/servers`, {
    headers: { authorization: `Bearer ${SECRET}` },
  });
  return [
    ...complaints,
    ...unless(atGateway.status === 401, `the admin's token at the gateway: ${atGateway.status}`),
    ...unlessTried(seen.status === 200, `a viewer can't read either: HTTP ${seen.status}`),
  ];
}

const MARKUP = `<img src="http://127.0.0.1:9/x" onerror="window.wasHit=1"><script>window.wasHit=1</script>`;
const OVERRIDE = "\u202Egnp.exe\u200b";
const TOOLS = JSON.stringify([
  {
    name: "markup",
    title: MARKUP,
    description: `${MARKUP}${OVERRIDE}</script><svg onload=window.wasHit=1>{{1+1}}`,
    inputSchema: { type: "object", properties: { [MARKUP]: { description: MARKUP } } },
    annotations: { readOnlyHint: true, title: MARKUP },
  },
]);

async function showMarkup(admin: AdminPort): Promise<readonly string[]> {
  const { gateway, page, url } = admin;
  const user = `${MARKUP}${OVERRIDE}`;
  await gateway.client("acme", user).call("js", "markup", { [MARKUP]: OVERRIDE });
  await admin.api("/servers/js/check", { method: "POST", token: SECRET });
  const complaints: string[] = [];
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  const shown: string[] = [];
  const who = new URLSearchParams({ tenant: "acme", user });
  const pages = ["overview", "servers", "servers/js", "live", "users", "grants", "audit"];
  for (const hash of [...pages, `users?${who}`, `servers/${encodeURIComponent(MARKUP)}`]) {
    await page.goto("about:blank");
    await page.goto(`${url}/#/${hash}`);
    await page.waitForLoadState("networkidle");
    for (const button of await page.getByRole("button", { name: /^(Details|Show all)/ }).all()) {
      await button.click();
    }
    for (const folded of await page.locator("summary").all()) await folded.click();
    const found = await page.evaluate(() => ({
      wasHit: (window as { wasHit?: unknown }).wasHit !== undefined,
      foreign: document.querySelectorAll("img, iframe, object, embed, svg[onload], body script")
        .length,
      raw: /[\u202e\u200b]/.test(document.body.textContent ?? ""),
      text: document.body.textContent ?? "",
    }));
    shown.push(found.text);
    complaints.push(
      ...unless(!found.wasHit, `${hash}: a script ran`),
      ...unless(found.foreign === 0, `${hash}: ${found.foreign} elements of the attacker's`),
      ...unless(!found.raw, `${hash}: characters that hide or reorder text`),
    );
  }
  const away = sent.filter((address) => /^http/.test(address) && !address.startsWith(url));
  const isShown = shown.filter((text) => text.includes("onerror=")).length;
  return [
    ...complaints,
    ...unless(away.length === 0, `requests to others: ${away.slice(0, 3)}`),
    ...unlessTried(isShown >= 3, `only ${isShown} pages show the attacker's text`),
  ];
}
