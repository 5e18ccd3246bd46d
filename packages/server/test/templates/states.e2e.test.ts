import type { CallToolResult } from "@vitrine/protocol/apps";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { dataTable, detail, form, gallery, progress } from "../../src/templates/index.ts";
import type { ViewSource } from "../../src/view-source.ts";
import { ORDERS, PATIENT, PICTURES, SIGN_UP } from "./sample-data.ts";
import { openTemplateStage, type Scene, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const FAILED: Partial<CallToolResult> = {
  isError: true,
  content: [{ type: "text", text: "The database did not answer within 30 seconds." }],
};
const CANCELLED = "The user stopped it.";

/** A template in one state: the data it receives, and the text it then shows. */
interface State {
  told: Pick<Scene, "partialInput" | "input" | "result" | "cancelled">;
  reads: RegExp;
  view?: ViewSource;
}

type States = Record<"data" | "partial" | "empty" | "loading", State>;

const table = dataTable({ title: "Orders", description: "Everything ordered in March 2026." });
const signUp = form(SIGN_UP);
const build = progress({ title: "Build the index", cancelTool: "stop" });
const card = detail({ title: "Patient record", titleKey: "name" });
const photos = gallery({ title: "Harbour at night" });

const TEMPLATES: Record<string, { view: ViewSource; states: States }> = {
  "data-table": {
    view: table,
    states: {
      data: { told: { result: { structuredContent: { rows: ORDERS } } }, reads: /Grace Hopper/ },
      partial: { told: { partialInput: { rows: ORDERS.slice(0, 2) } }, reads: /Being written/ },
      empty: { told: { result: { structuredContent: { rows: [] } } }, reads: /No rows/ },
      loading: { told: {}, reads: /Loading/ },
    },
  },
  form: {
    view: signUp,
    states: {
      data: { told: { input: { name: "Ada Lovelace" }, result: {} }, reads: /Send invitation/ },
      partial: { told: { partialInput: { name: "Ada Lo" } }, reads: /Send invitation/ },
      empty: { told: { result: {} }, view: form({ title: "Nothing" }), reads: /has no fields/ },
      loading: { told: {}, reads: /Full name/ },
    },
  },
  progress: {
    view: build,
    states: {
      data: {
        told: {
          result: {
            structuredContent: {
              percent: 42,
              status: "running",
              currentStep: "Reading 1,204 of 2,866 files",
              steps: [
                { label: "Clone the repository", status: "done" },
                { label: "Read files", status: "running" },
                { label: "Write the index", status: "pending" },
              ],
            },
          },
        },
        reads: /42%[\s\S]*Clone the repository/,
      },
      partial: { told: { input: { repository: "vitrine" } }, reads: /Running/ },
      empty: { told: { result: {} }, reads: /Finished/ },
      loading: { told: {}, reads: /Running/ },
    },
  },
  detail: {
    view: card,
    states: {
      data: { told: { result: { structuredContent: PATIENT } }, reads: /Blood type/ },
      partial: {
        told: { partialInput: { name: "Ada", born: "1815-12-10" } },
        reads: /10 Dec 1815/,
      },
      empty: { told: { result: { structuredContent: {} } }, reads: /No details/ },
      loading: { told: {}, reads: /Loading/ },
    },
  },
  gallery: {
    view: photos,
    states: {
      data: { told: { result: { structuredContent: { images: PICTURES } } }, reads: /Lighthouse/ },
      partial: {
        told: { partialInput: { images: PICTURES.slice(0, 1) } },
        reads: /Being written/,
      },
      empty: { told: { result: { structuredContent: { images: [] } } }, reads: /No images/ },
      loading: { told: {}, reads: /Loading/ },
    },
  },
};

describe.each(Object.entries(TEMPLATES))("%s", (name, { view, states }) => {
  const all: [string, State][] = [
    ...Object.entries(states),
    ["error", { told: { result: FAILED }, reads: /did not answer within 30 seconds/ }],
    [
      "cancelled",
      { told: { input: {}, cancelled: CANCELLED }, reads: /Cancelled[\s\S]*stopped it/ },
    ],
  ];

  test.each(all)("%s reads well in light and dark, and axe finds nothing", async (state, plot) => {
    const shown = await stage.show(plot.view ?? view, plot.told);
    for (const theme of ["light", "dark"] as const) {
      await shown.setTheme(theme);
      await expect.poll(() => shown.text()).toMatch(plot.reads);
      expect(await shown.violations()).toEqual([]);
      const ground = await shown.frame.evaluate(
        () => getComputedStyle(document.body).backgroundColor,
      );
      expect(ground).toBe(theme === "light" ? "rgb(255, 255, 255)" : "rgb(26, 27, 30)");
      await shown.shoot(`${name}-${state}-${theme}`, [900, 360]);
    }
    expect(shown.errors).toEqual([]);
  });
});
