// Every template in the six states that each has. A new template is one entry of TEMPLATES; the tests of
// states.e2e.test.ts and the pictures of `npm run template-pictures` then cover it.

import type { CallToolResult } from "@vitrine/protocol/apps";
import { pageOf } from "../../src/auto-views/tool-view.ts";
import * as templates from "../../src/templates/index.ts";
import type { ViewSource } from "../../src/view-source.ts";
import { DASHBOARD, DASHBOARD_DATA } from "./dashboard.ts";
import { config as boardConfig, result as boardResult } from "./kanban-board.ts";
import {
  BROWSERS,
  CHANGE,
  FILES,
  HOURS,
  ORDERS,
  PATIENT,
  PICTURES,
  SALES,
  SIGN_UP,
  VISITS,
} from "./sample-data.ts";
import type { Scene } from "./template-stage.ts";

/** The data that a template receives, and the text that it then shows. */
export interface TemplateState {
  told: Pick<Scene, "partialInput" | "input" | "result" | "cancelled">;
  reads: RegExp;
  /** In place of the template's view. */
  view?: ViewSource;
}

export type StateName = "loading" | "partial" | "data" | "empty" | "error" | "cancelled";

/** A template and its states; `error`, `cancelled` and `loading` are alike unless it says otherwise. */
export interface PicturedTemplate {
  view: ViewSource;
  states: Record<"partial" | "data" | "empty", TemplateState> &
    Partial<Record<StateName, TemplateState>>;
}

const rows = (list: readonly object[]): Partial<CallToolResult> => ({
  structuredContent: { rows: list },
});
const data = (structuredContent: Record<string, unknown>): Partial<CallToolResult> => ({
  structuredContent,
});

const ERROR: TemplateState = {
  told: {
    result: {
      isError: true,
      content: [{ type: "text", text: "The database did not answer within 30 seconds." }],
    },
  },
  reads: /did not answer within 30 seconds/,
};
const CANCELLED: TemplateState = {
  told: { input: {}, cancelled: "The user stopped it." },
  reads: /Cancelled[\s\S]*stopped it/,
};
const LOADING: TemplateState = { told: {}, reads: /Loading/ };

/** All six states of a template, in the order in which a user could meet them. */
export function statesOf({ states }: PicturedTemplate): [StateName, TemplateState][] {
  const { loading = LOADING, partial, data, empty, error = ERROR, cancelled = CANCELLED } = states;
  return Object.entries({ loading, partial, data, empty, error, cancelled }) as never;
}

const running = {
  percent: 42,
  status: "running",
  currentStep: "Reading 1,204 of 2,866 files",
  steps: [
    { label: "Clone the repository", status: "done" },
    { label: "Read files", status: "running" },
    { label: "Write the index", status: "pending" },
  ],
};
const three = ["north", "south", "east"];

export const TEMPLATES: Record<string, PicturedTemplate> = {
  page: {
    view: templates.page({ title: "Shop", blocks: DASHBOARD }),
    states: {
      data: { told: { result: data(DASHBOARD_DATA) }, reads: /€128,400[\s\S]*Coffee sells/ },
      partial: {
        told: { partialInput: { revenue: 7, orders: ORDERS.slice(0, 1) } },
        reads: /Being written[\s\S]*€7/,
      },
      empty: {
        told: { result: {} },
        view: templates.page({ title: "Shop" }),
        reads: /nothing to show|no blocks/,
      },
    },
  },
  "data-table": {
    view: templates.dataTable({
      title: "Orders",
      description: "Everything ordered in March 2026.",
    }),
    states: {
      data: { told: { result: rows(ORDERS) }, reads: /Grace Hopper/ },
      partial: { told: { partialInput: { rows: ORDERS.slice(0, 2) } }, reads: /Being written/ },
      empty: { told: { result: rows([]) }, reads: /no rows to show/ },
    },
  },
  form: {
    view: templates.form(SIGN_UP),
    states: {
      data: { told: { input: { name: "Ada Lovelace" }, result: {} }, reads: /Send invitation/ },
      partial: { told: { partialInput: { name: "Ada Lo" } }, reads: /Send invitation/ },
      empty: {
        told: { result: {} },
        view: templates.form({ title: "Nothing" }),
        reads: /has no fields/,
      },
      loading: { told: {}, reads: /Full name/ },
    },
  },
  progress: {
    view: templates.progress({ title: "Build the index", cancelTool: "stop" }),
    states: {
      data: { told: { result: data(running) }, reads: /42%[\s\S]*Clone the repository/ },
      partial: { told: { input: { repository: "vitrine" } }, reads: /Running/ },
      empty: { told: { result: {} }, reads: /Not started/ },
      loading: { told: {}, reads: /Running/ },
    },
  },
  detail: {
    view: templates.detail({ title: "Patient record", titleKey: "name" }),
    states: {
      data: { told: { result: data(PATIENT) }, reads: /Blood type/ },
      partial: {
        told: { partialInput: { name: "Ada", born: "1815-12-10" } },
        reads: /10 Dec 1815/,
      },
      empty: { told: { result: data({}) }, reads: /no details to show/ },
    },
  },
  gallery: {
    view: templates.gallery({ title: "Harbour at night" }),
    states: {
      data: { told: { result: data({ images: PICTURES }) }, reads: /Lighthouse/ },
      partial: {
        told: { partialInput: { images: PICTURES.slice(0, 1) } },
        reads: /Being written/,
      },
      empty: { told: { result: data({ images: [] }) }, reads: /no images to show/ },
    },
  },
  chart: {
    view: templates.chart({ title: "Sales by month", x: "month", y: three }),
    states: {
      data: { told: { result: rows(SALES) }, reads: /North[\s\S]*South[\s\S]*East/ },
      partial: { told: { partialInput: { rows: SALES.slice(0, 3) } }, reads: /Being written/ },
      empty: { told: { result: rows([]) }, reads: /no values to draw/ },
    },
  },
  kanban: {
    view: templates.kanban({ ...boardConfig, onCardClickTool: "open" }),
    states: {
      data: {
        told: { result: boardResult },
        reads: /To do[\s\S]*Write the report[\s\S]*In progress[\s\S]*Review/,
      },
      partial: {
        told: { partialInput: { cards: [{ title: "First thing", column: "todo" }] } },
        reads: /Being written[\s\S]*First thing/,
      },
      empty: { told: { result: data({ cards: [] }) }, reads: /To do[\s\S]*no cards on this board/ },
    },
  },
  "tree-view": {
    view: templates.treeView({ title: "Repository", selectable: true }),
    states: {
      data: { told: { result: data({ nodes: FILES }) }, reads: /templates[\s\S]*14|16 nodes/ },
      partial: {
        told: { partialInput: { nodes: [{ label: "docs", children: [{ label: "READ" }] }] } },
        reads: /Being written[\s\S]*docs/,
      },
      empty: { told: { result: data({ nodes: [] }) }, reads: /nothing in this tree/ },
    },
  },
  "diff-viewer": {
    view: templates.diffViewer({ title: "Proposed change" }),
    states: {
      data: { told: { result: data(CHANGE) }, reads: /await writeFile/ },
      partial: {
        told: { partialInput: { left: "a\nb\n", right: "a\nsomething" } },
        reads: /Being written[\s\S]*something/,
      },
      empty: { told: { result: data({ left: "", right: "" }) }, reads: /nothing to compare/ },
    },
  },
  result: {
    view: {
      html: () => pageOf({ template: "result", config: { title: "Search the library" } }),
      describe: () => "",
    },
    states: {
      data: {
        told: { result: data({ found: 3, books: ORDERS.slice(0, 3), author: PATIENT.address }) },
        reads: /Books/,
      },
      partial: { told: { input: { words: "engines" } }, reads: /Loading/ },
      empty: { told: { result: {} }, reads: /nothing to show/ },
    },
  },
};

const config = { title: "Visits" };
/** Other looks of templates, pictured with data alone. */
export const VARIANTS: Record<string, { view: ViewSource; result: Partial<CallToolResult> }> = {
  "chart-bar": { view: templates.chart({ ...config, y: "north" }), result: rows(SALES) },
  "chart-stacked": {
    view: templates.chart({ ...config, y: three, stacked: true }),
    result: rows(SALES),
  },
  "chart-many": { view: templates.chart({ ...config, stacked: true }), result: rows(VISITS) },
  "chart-lying": { view: templates.chart(config), result: rows(BROWSERS) },
  "chart-hours": { view: templates.chart({ ...config, type: "line" }), result: rows(HOURS) },
  "chart-areas": {
    view: templates.chart({ ...config, type: "area", x: "date", y: three, stacked: true }),
    result: rows(SALES),
  },
  "chart-donut": { view: templates.chart({ ...config, type: "donut" }), result: rows(BROWSERS) },
  "chart-scatter": {
    view: templates.chart({ ...config, type: "scatter", x: "north", y: ["south", "east"] }),
    result: rows(SALES),
  },
};
