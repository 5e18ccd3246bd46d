import type { ProjectView } from "../broken-views/project.ts";
import { type BadState, STYLE } from "./state-view.ts";

const HEAD = `import { App } from "@vitrine/view";
import "./style.css";

interface Order { id: number; customer: string; article: string; status: string; total: number }
const root = document.getElementById("app") as HTMLElement;
const app = new App({ name: "orders", version: "1.0.0" });
const say = (text: string) => { root.textContent = text; };
const rows = (orders: Order[]) => orders.map((one) => "<tr>" + [one.customer, one.article, one.status, one.total].map((cell) => "<td>" + cell + "</td>").join("") + "</tr>").join("");
const table = (orders: Order[]) => { root.innerHTML = "<table><thead><tr><th>Customer</th><th>Article</th><th>Status</th><th>Total</th></tr></thead><tbody>" + rows(orders) + "</tbody></table>"; };
const textOf = (result: { content: { type: string; text?: string }[] }) => result.content[0]?.text ?? "";
const follow = () => { const locale = app.getHostContext()?.locale ?? "en"; document.documentElement.lang = locale; document.documentElement.dir = locale.startsWith("ar") ? "rtl" : "ltr"; };
void [say, table, textOf, follow];
`;
/** Everything right; a view replaces what it does wrong. */
const RIGHT = {
  start: `root.innerHTML = "<p>Loading orders…</p>";`,
  result: `if (result.isError) return say("The orders could not be read: " + textOf(result));
  const orders = (result.structuredContent as { orders?: Order[] } | undefined)?.orders ?? [];
  if (orders.length === 0) return say("There are no orders.");
  table(orders);`,
  cancelled: `say("Reading the orders was stopped.");`,
  ready: "follow();",
};

/** A view without a framework. */
export const vanilla = (
  name: string,
  {
    style = "",
    more = "",
    ...parts
  }: Partial<typeof RIGHT> & { style?: string; more?: string } = {},
): ProjectView => {
  const { start, result, cancelled, ready } = { ...RIGHT, ...parts };
  const main = `${HEAD}${start}
app.ontoolresult = (result) => {
  ${result}
};
app.ontoolcancelled = () => {
  ${cancelled}
};
${more}
await app.connect();
${ready}
`;
  return { name: `vanilla-${name}`, files: { "main.ts": main, "style.css": `${STYLE}${style}` } };
};

export const VANILLA_STATES: readonly BadState[] = [
  {
    ...vanilla("loading-error", {
      result: `if (result.isError) return console.warn(textOf(result));\n  ${RIGHT.result}`,
    }),
    code: "stuck",
    cause: /failed call/,
  },
  {
    ...vanilla("loading-cancelled", { cancelled: "" }),
    code: "stuck",
    cause: /cancelled/,
  },
  {
    ...vanilla("loading-empty", {
      result: `if (result.isError) return say("Sorry: " + textOf(result));\n  if (!result.structuredContent) return;\n  ${RIGHT.result}`,
    }),
    code: "stuck",
    cause: /empty result/,
  },
  {
    ...vanilla("spinner", {
      start: `root.innerHTML = '<svg class="turn" width="32" height="32" viewBox="0 0 32 32" role="img" aria-label="Busy"><circle cx="16" cy="16" r="12" fill="none" stroke="currentColor" stroke-width="3" stroke-dasharray="40 80"/></svg>';`,
      style:
        ".turn { animation: turn 1s linear infinite; } @keyframes turn { to { rotate: 1turn; } }",
      result: `const { orders } = (result.structuredContent ?? {}) as { orders?: Order[] };\n  if (orders) table(orders);\n  else if (!result.isError) say("There are no orders.");`,
    }),
    code: "stuck",
    cause: /failed call/,
  },
  {
    ...vanilla("narrow-table", {
      style:
        "table { table-layout: fixed; } td, th { word-break: break-all; padding: 4px 16px; font-size: 16px; }",
    }),
    code: "broken-words",
    cause: /360 px/,
  },
  {
    ...vanilla("rtl-dates", {
      ready:
        'document.documentElement.lang = app.getHostContext()?.locale ?? "en"; root.insertAdjacentHTML("afterend", "<p>" + new Date(0).toLocaleDateString(app.getHostContext()?.locale, { dateStyle: "full" }) + "</p>");',
    }),
    code: "rtl-ignored",
    cause: /left-to-right/,
  },
  {
    ...vanilla("domains"),
    ui: {
      csp: {
        connectDomains: ["https://api.orders.example.com"],
        resourceDomains: ["https://cdn.pictures.example.com"],
      },
    },
    code: "domain-unused",
    cause: /api\.orders\.example\.com/,
  },
  {
    ...vanilla("permissions"),
    ui: { permissions: { camera: {}, microphone: {} } },
    code: "permission-unused",
    cause: /camera/,
  },
];

/** One button calls a tool, which is refused, and the other one throws. */
export const TWO_BUTTONS: ProjectView = vanilla("two-buttons", {
  result:
    "root.innerHTML = '<button>Reload</button> <button>Pay</button>';\n  const [reload, pay] = root.querySelectorAll('button');\n  reload!.onclick = async () => { await app.callServerTool({ name: 'vanilla-two-buttons', arguments: {} }); throw new Error('never counted'); };\n  pay!.onclick = () => { throw new RangeError('the card has expired'); };",
});

const RETRY = `async function again() {
  const result = await app.callServerTool({ name: "more_orders", arguments: { page: 2 } });
  table((result.structuredContent as { orders: Order[] }).orders);
}
void again;`;

/** Views whose states are as they should be. */
export const HEALTHY_VANILLA: readonly ProjectView[] = [
  vanilla("sound"),
  {
    ...vanilla("form", {
      // It shows the same before and after the result: the result only opens it.
      start: `root.innerHTML = '<h1>New order</h1><label>Article <input></label> <button type="button">Order…</button>';`,
      result: "if (result.isError) root.append(textOf(result));",
      cancelled: "",
    }),
  },
  {
    ...vanilla("german", {
      start: `document.documentElement.lang = "de"; root.innerHTML = "<p>Bestellungen werden geladen …</p>";`,
      result:
        'if (result.isError || !result.structuredContent) return say("Die Bestellungen sind nicht verfügbar.");\n  table((result.structuredContent as { orders: Order[] }).orders);',
      cancelled: `say("Abgebrochen.");`,
      ready:
        'document.documentElement.dir = (app.getHostContext()?.locale ?? "en").startsWith("ar") ? "rtl" : "ltr";',
    }),
  },
  {
    ...vanilla("long-words", {
      // Addresses and keys may break anywhere, and code scrolls.
      result: `${RIGHT.result}\n  root.insertAdjacentHTML("beforeend", "<p>https://orders.example.com/archive/2026/11/7f3a9c51d2e84b06a1c9f0e2b7d4a8536c1f/confirmation</p><pre>" + "x".repeat(30) + "</pre><p lang=de style='hyphens:auto;inline-size:90px'>Auftragsbestätigung</p>");`,
      style: "p { overflow-wrap: anywhere; } pre { overflow-x: auto; }",
      more: RETRY,
    }),
    tools: [
      {
        name: "more_orders",
        description: "Reads the next page of the list, for the view.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        _meta: { ui: { visibility: ["app"] } },
      },
    ],
    ui: { csp: { connectDomains: ["https://orders.example.com"] } },
  },
];
