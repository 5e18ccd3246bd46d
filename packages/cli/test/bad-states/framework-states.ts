import type { ProjectView } from "../broken-views/project.ts";
import { type BadState, STYLE } from "./state-view.ts";

const INFO = `{ appInfo: { name: "orders", version: "1.0.0" }, capabilities: {} }`;
const TYPES = `interface Order { id: number; customer: string; article: string; status: string; total: number }
interface Result { isError?: boolean; content: { type: string; text?: string }[]; structuredContent?: { orders?: Order[] } }
const follow = (locale = "en") => { document.documentElement.lang = locale; document.documentElement.dir = locale.startsWith("ar") ? "rtl" : "ltr"; };
`;

const react = (name: string, body: string, style = ""): ProjectView => ({
  name: `react-${name}`,
  files: {
    "main.tsx": `import { createRoot } from "react-dom/client";
import { Orders } from "./orders.tsx";
import "./style.css";

createRoot(document.getElementById("app") as HTMLElement).render(<Orders />);
`,
    "orders.tsx": `import { useApp, useToolResult } from "@vitrine/view/react";
import { useEffect, useState } from "react";

${TYPES}
export function Orders() {
  const { app } = useApp(${INFO});
  const result = useToolResult(app) as Result | undefined;
  const [isCancelled, setCancelled] = useState(false);
  useEffect(() => {
    if (!app) return;
    follow(app.getHostContext()?.locale);
    app.ontoolcancelled = () => setCancelled(true);
  }, [app]);
  const orders = result?.structuredContent?.orders;
  const failure = result?.isError ? (result.content[0]?.text ?? "It failed.") : "";
  const list = <ul>{orders?.map(({ id, customer, article }) => <li key={id}>{customer}: {article}</li>)}</ul>;
  void [isCancelled, failure, list];
${body}
}
`,
    "style.css": `${STYLE}${style}`,
  },
});
const REACT_STATES = `  if (failure) return <p role="alert">{failure}</p>;
  if (isCancelled) return <p>Reading the orders was stopped.</p>;
  if (!result) return <p>Loading…</p>;
  if (!orders?.length) return <p>There are no orders.</p>;
`;

const vue = (
  name: string,
  { script = "", template, style = "" }: { script?: string; template: string; style?: string },
): ProjectView => ({
  name: `vue-${name}`,
  files: {
    "main.ts": `import { createApp } from "vue";
import Orders from "./orders.vue";
import "./style.css";

createApp(Orders).mount("#app");
`,
    "orders.vue": `<script setup lang="ts">
import { useApp, useToolResult } from "@vitrine/view/vue";
import { computed, ref, watchEffect } from "vue";

${TYPES}
const { app } = useApp(${INFO});
const result = useToolResult(app);
const isCancelled = ref(false);
watchEffect(() => {
  if (!app.value) return;
  follow(app.value.getHostContext()?.locale);
  app.value.ontoolcancelled = () => { isCancelled.value = true; };
});
const shown = computed(() => result.value as never as Result | undefined);
const orders = computed(() => shown.value?.structuredContent?.orders);
const failure = computed(() => (shown.value?.isError ? (shown.value.content[0]?.text ?? "It failed.") : ""));
void [orders, failure, isCancelled];
${script}
</script>

<template>
${template}
</template>
`,
    "style.css": `${STYLE}${style}`,
  },
});
const VUE_STATES = `<p v-if="failure" role="alert">{{ failure }}</p>
<p v-else-if="isCancelled">Reading the orders was stopped.</p>
<p v-else-if="!shown">Loading…</p>
<p v-else-if="!orders?.length">There are no orders.</p>
`;

const svelte = (
  name: string,
  { script = "", markup, style = "" }: { script?: string; markup: string; style?: string },
): ProjectView => ({
  name: `svelte-${name}`,
  files: {
    "main.ts": `import { mount } from "svelte";
import Orders from "./orders.svelte";
import "./style.css";

mount(Orders, { target: document.getElementById("app") as HTMLElement });
`,
    "orders.svelte": `<script lang="ts">
import { App } from "@vitrine/view";

${TYPES}
const app = new App({ name: "orders", version: "1.0.0" });
let result = $state<Result>();
let isCancelled = $state(false);
const orders = $derived(result?.structuredContent?.orders);
const failure = $derived(result?.isError ? (result.content[0]?.text ?? "It failed.") : "");
app.ontoolresult = (told) => { result = told as never; };
app.ontoolcancelled = () => { isCancelled = true; };
${script}
void app.connect().then(() => follow(app.getHostContext()?.locale));
</script>

${markup}
`,
    "style.css": `${STYLE}${style}`,
  },
});
const SVELTE_STATES = `{#if failure}<p role="alert">{failure}</p>
{:else if isCancelled}<p>Reading the orders was stopped.</p>
{:else if !result}<p>Loading…</p>
{:else if !orders?.length}<p>There are no orders.</p>
{:else}<ul>{#each orders as { id, customer, article } (id)}<li>{customer}: {article}</li>{/each}</ul>{/if}`;

const PAGER = {
  name: "next_page",
  description: "Returns the next page of the table.",
  inputSchema: { type: "object", properties: { cursor: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

export const FRAMEWORK_STATES: readonly BadState[] = [
  {
    ...react("loading", "  if (!orders) return <p>Loading…</p>;\n  return list;"),
    code: "stuck",
    cause: /failed call/,
  },
  {
    ...react("failure-as-empty", `${REACT_STATES.replace(/^.*failure.*\n/, "")}  return list;`),
    code: "failure-hidden",
    cause: /empty result/,
  },
  {
    ...react(
      "skeleton",
      `  if (failure) return <p role="alert">{failure}</p>;
  if (!result) return <div aria-busy="true" className="grey"><i /><i /><i /></div>;
  if (!orders?.length) return <p>There are no orders.</p>;
  return list;`,
      ".grey i { display: block; height: 16px; margin: 8px 0; background: #8884; border-radius: 4px; }",
    ),
    code: "stuck",
    cause: /cancelled/,
  },
  {
    ...react(
      "clipped",
      `${REACT_STATES}  return <><div className="bar"><button type="button">Export everything</button><button type="button">Customer statistics</button><button type="button">Notifications</button></div>{list}</>;`,
      ".bar { display: flex; gap: 8px; } .bar button { flex: 1; min-width: 0; overflow: hidden; white-space: nowrap; font-size: 16px; }",
    ),
    code: "clipped-text",
    cause: /360 px/,
  },
  {
    ...react(
      "pager",
      `${REACT_STATES}  const next = () => app?.callServerTool({ name: "next_page", arguments: { cursor: "2" } });
  return <>{list}<button type="button" onClick={next}>More</button></>;`,
    ),
    tools: [PAGER],
    code: "visibility-wide",
    cause: /next_page/,
  },
  {
    ...vue("keeps-hint", {
      template: `<h1>Orders</h1>
<p v-if="isCancelled">Reading the orders was stopped.</p>
<p v-else-if="shown && !shown.isError && !orders?.length">There are no orders.</p>
<ul v-else-if="orders"><li v-for="one in orders" :key="one.id">{{ one.customer }}</li></ul>
<p v-else>Your orders appear here.</p>`,
    }),
    code: "failure-hidden",
    cause: /before/,
  },
  {
    ...vue("stacked-letters", {
      template: `${VUE_STATES}<div v-else><div v-for="one in orders" :key="one.id" class="row"><img alt="" width="160" height="40"><strong>{{ one.customer }}</strong><span class="wide">{{ one.status }}</span></div></div>`,
      style:
        ".row { display: flex; gap: 8px; } .row strong { flex: 1; min-width: 0; overflow-wrap: anywhere; } .row img { background: #8884; } .wide { flex: none; inline-size: 120px; }",
    }),
    code: "broken-words",
    cause: /360 px/,
  },
  {
    ...vue("rtl-fixed", {
      template: `${VUE_STATES}<div v-else class="page"><p v-for="one in orders" :key="one.id" class="line"><b>{{ one.customer }}</b><span>{{ one.article }}</span><em>{{ one.status }}</em></p></div>`,
      style:
        ".page { text-align: left; } .line { position: relative; height: 24px; margin: 0; } .line span { position: absolute; left: 120px; } .line em { position: absolute; left: 240px; }",
    }),
    code: "rtl-ignored",
    cause: /mirror/,
  },
  {
    ...vue("loading-row", {
      template: `<h1>Orders</h1>
<p v-if="failure" role="alert">{{ failure }}</p>
<p v-else-if="isCancelled">Reading the orders was stopped.</p>
<table v-else><tbody><tr v-for="one in orders ?? []" :key="one.id"><td>{{ one.customer }}</td><td>{{ one.article }}</td></tr><tr v-if="!orders"><td>Please wait</td></tr></tbody></table>`,
    }),
    code: "stuck",
    cause: /empty result/,
  },
  {
    ...svelte("await", {
      script: `const read = new Promise<Order[]>((resolve) => {
  app.ontoolresult = (told) => { const { orders } = (told as Result).structuredContent ?? {}; if (orders) resolve(orders); };
});
void [orders, failure, isCancelled];`,
      markup: `<h1>Orders</h1>
{#await read}<p>Fetching the orders</p>{:then list}<ul>{#each list as { id, customer } (id)}<li>{customer}</li>{/each}</ul>{/await}`,
    }),
    code: "stuck",
    cause: /failed call/,
  },
  {
    ...svelte("swallowed", {
      script: `const list = $derived(orders ?? []);\nconst sum = $derived(list.reduce((all, { total }) => all + total, 0));\nvoid failure;`,
      markup: `{#if isCancelled}<p>Reading the orders was stopped.</p>
{:else if !result}<p>Loading…</p>
{:else}<p>{list.length} orders, {sum.toFixed(2)} in total</p>{/if}`,
    }),
    code: "failure-hidden",
    cause: /empty result/,
  },
  {
    ...svelte("frame-domain", { markup: SVELTE_STATES }),
    ui: {
      csp: {
        frameDomains: ["https://maps.example.org"],
        resourceDomains: ["https://*.tiles.example.net"],
      },
    },
    code: "domain-unused",
    cause: /maps\.example\.org/,
  },
];

/** Views whose states are as they should be. */
export const HEALTHY_FRAMEWORKS: readonly ProjectView[] = [
  react("sound", `${REACT_STATES}  return <>{list}<p role="status">{orders.length} orders</p></>;`),
  {
    ...vue("sound", {
      template: `${VUE_STATES}<ul v-else><li v-for="one in orders" :key="one.id">{{ one.customer }}</li></ul>`,
    }),
  },
  svelte("sound", {
    // Something that always moves isn't a spinner.
    markup: `<div class="pulse">●</div>\n${SVELTE_STATES}`,
    style:
      ".pulse { animation: pulse 2s ease-in-out infinite; } @keyframes pulse { 50% { opacity: 0.6; } }",
  }),
];
