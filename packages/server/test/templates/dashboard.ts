// A dashboard of six blocks (numbers, chart, text, table, detail, buttons) in a layout, as one JSON document, and a result for it.

import type { PageBlock } from "../../src/templates/index.ts";
import { ORDERS } from "./sample-data.ts";

export const DASHBOARD: PageBlock[] = [
  {
    type: "grid",
    columns: 3,
    blocks: [
      {
        type: "metric",
        label: "Revenue",
        data: "/revenue",
        format: "currency:EUR",
        change: "/growth",
        changeFormat: "percent",
        goodWhen: "up",
      },
      { type: "metric", label: "Open orders", data: "/open", change: 3, goodWhen: "down" },
      { type: "metric", label: "Visitors", data: "/visitors", format: "integer" },
    ],
  },
  {
    type: "grid",
    blocks: [
      { type: "chart", title: "Revenue by month", kind: "line", data: "/months" },
      {
        type: "section",
        title: "This month",
        blocks: [
          { type: "text", data: "/summary" },
          { type: "notice", title: "Stock is low", text: "Order 20 crates of coffee." },
        ],
      },
    ],
  },
  {
    type: "tabs",
    tabs: [
      {
        label: "Orders",
        blocks: [
          {
            type: "table",
            data: "/orders",
            pageSize: 5,
            rowActions: [
              { label: "Refund", tool: "refund", rowArgs: { order: "number" } },
              { label: "Delete", tool: "remove", rowArgs: { order: "number" }, destructive: true },
            ],
          },
        ],
      },
      { label: "Newest order", blocks: [{ type: "detail", data: "/orders/0" }] },
    ],
  },
  {
    type: "actions",
    actions: [
      { label: "Refresh", tool: "refresh", refresh: true, primary: true },
      { label: "Archive", tool: "archive", destructive: true },
      { label: "Help", url: "https://example.com/help" },
    ],
  },
];

export const ORDER_FORM: PageBlock = {
  type: "form",
  title: "New order",
  submitTool: "create_order",
  fields: [
    { name: "customer", required: true },
    { name: "total", type: "number" },
  ],
};

export const DASHBOARD_DATA = {
  revenue: 128_400,
  growth: 0.124,
  open: 17,
  visitors: 48_213,
  months: ["01", "02", "03", "04", "05", "06"].map((month, at) => ({
    month: `2026-${month}-01`,
    revenue: 80_000 + at * 9_000 + (at % 2) * 4_000,
  })),
  summary: "Coffee sells better than last year. Tea does not.",
  orders: ORDERS,
};
