import type { BrokenView } from "./broken-view.ts";

const MAIN = `import { createApp } from "vue";
import Orders from "./orders.vue";

createApp(Orders).mount("#app");
`;
const HEAD = `<script setup lang="ts">
import { useApp, useToolResult } from "@vitrine/view/vue";
import { computed, onMounted, ref, watch } from "vue";

void [computed, onMounted, ref, watch, useToolResult];
const { app } = useApp({ appInfo: { name: "orders", version: "1.0.0" }, capabilities: {} });
`;

const vue = (
  name: string,
  { script = "", template }: { script?: string; template: string },
  rest: Omit<BrokenView, "name" | "files" | "file">,
): BrokenView => ({
  name: `vue-${name}`,
  files: {
    "main.ts": MAIN,
    "orders.vue": `${HEAD}${script}\n</script>\n\n<template>\n${template}\n</template>\n`,
  },
  file: "orders.vue",
  ...rest,
});

/** In Vue. */
export const VUE_VIEWS: readonly BrokenView[] = [
  vue(
    "setup",
    {
      script: `const orders = (app as never as { list: string[] }).list.length;`,
      template: "<p>{{ orders }}</p>",
    },
    {
      at: ".list.length",
      cause: /reading 'length'/,
    },
  ),
  vue(
    "template",
    {
      script: `const order = ref<{ total: { amount: number } }>({} as never);`,
      template: "<p>Order</p>\n<p>{{ order.total.amount }}</p>",
    },
    {
      at: "order.total.amount",
      cause: /reading 'amount'/,
    },
  ),
  vue(
    "mounted",
    {
      script: `onMounted(() => {\n  throw new Error("the map has no tiles");\n});`,
      template: "<p>Map</p>",
    },
    {
      at: "no tiles",
      cause: /the map has no tiles/,
    },
  ),
  vue(
    "click",
    {
      script: `function pay() {\n  throw new RangeError("the card has expired");\n}`,
      template: '<button @click="pay">Pay</button>',
    },
    {
      at: "expired",
      cause: /the card has expired/,
      press: "Pay",
    },
  ),
  vue(
    "watch",
    {
      script: `const result = useToolResult(app);\nwatch(result, (value) => {\n  (value as never as { rows: { sort(): void } }).rows.sort();\n});`,
      template: "<p>Rows</p>",
    },
    {
      at: "rows.sort",
      cause: /reading 'sort'/,
    },
  ),
  vue(
    "computed",
    {
      script: `const total = computed(() => (undefined as never as number[]).reduce((a, b) => a + b));`,
      template: "<p>{{ total }}</p>",
    },
    {
      at: ".reduce",
      cause: /reading 'reduce'/,
    },
  ),
  vue(
    "rejection",
    {
      script: `onMounted(async () => {\n  await Promise.resolve();\n  throw new Error("the rates are gone");\n});`,
      template: "<p>Rates</p>",
    },
    {
      at: "rates are gone",
      cause: /the rates are gone/,
    },
  ),
];
