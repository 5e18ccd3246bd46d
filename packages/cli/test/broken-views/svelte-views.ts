import type { BrokenView } from "./broken-view.ts";

const MAIN = `import { mount } from "svelte";
import Orders from "./orders.svelte";

mount(Orders, { target: document.getElementById("app") as HTMLElement });
`;
const HEAD = `<script lang="ts">
import { useApp, useToolResult } from "@vitrine/view/svelte";
import { onMount } from "svelte";

void [onMount, useToolResult];
const view = useApp({ appInfo: { name: "orders", version: "1.0.0" }, capabilities: {} });
`;

const svelte = (
  name: string,
  { script = "", markup }: { script?: string; markup: string },
  rest: Omit<BrokenView, "name" | "files" | "file">,
): BrokenView => ({
  name: `svelte-${name}`,
  files: { "main.ts": MAIN, "orders.svelte": `${HEAD}${script}\n</script>\n\n${markup}\n` },
  file: "orders.svelte",
  ...rest,
});

/** In Svelte. */
export const SVELTE_VIEWS: readonly BrokenView[] = [
  svelte(
    "script",
    {
      script: `const count = (view as never as { list: string[] }).list.length;`,
      markup: "<p>{count}</p>",
    },
    {
      at: ".list.length",
      cause: /reading 'length'/,
    },
  ),
  svelte(
    "markup",
    {
      script: `let order = $state<{ total?: { amount: number } }>({});`,
      markup: "<p>Order</p>\n<p>{order.total!.amount}</p>",
    },
    {
      at: "order.total!",
      cause: /reading 'amount'/,
    },
  ),
  svelte(
    "effect",
    {
      script: `$effect(() => {\n  throw new Error("the chart has no axis");\n});`,
      markup: "<p>Chart</p>",
    },
    {
      at: "no axis",
      cause: /the chart has no axis/,
    },
  ),
  svelte(
    "mount",
    {
      script: `onMount(() => {\n  (null as never as HTMLElement).focus();\n});`,
      markup: "<p>Form</p>",
    },
    {
      at: ".focus()",
      cause: /reading 'focus'/,
    },
  ),
  svelte(
    "click",
    {
      script: `function pay() {\n  throw new RangeError("the card has expired");\n}`,
      markup: "<button onclick={pay}>Pay {$view.app ? 1 : 0}</button>",
    },
    {
      at: "expired",
      cause: /the card has expired/,
      press: "Pay",
    },
  ),
  svelte(
    "derived",
    {
      script: `const result = useToolResult(view);\nconst rows = $derived($result && ($result as never as { rows: string[] }).rows.length);`,
      markup: "<p>Rows {rows}</p>",
    },
    {
      at: ".rows.length",
      cause: /reading 'length'/,
    },
  ),
  svelte(
    "rejection",
    {
      script: `onMount(() => {\n  void Promise.resolve().then(() => {\n    throw new Error("the rates are gone");\n  });\n});`,
      markup: "<p>Rates</p>",
    },
    {
      at: "rates are gone",
      cause: /the rates are gone/,
    },
  ),
];
