// Which tool's form is shown, and which tool runs before the user does anything.

import type { Store } from "../store.ts";
import type { DevState } from "./dev-state.ts";
import { firstRun } from "./first-run.ts";
import { initialDraft } from "./form/form-draft.ts";
import { formOf } from "./form/form-node.ts";
import { readForm } from "./form/form-reading.ts";
import { lastInput } from "./tool-inputs.ts";
import type { ToolRuns } from "./tool-runs.ts";

/** Selects tools. */
export interface ToolSelection {
  /** Shows a tool's form, filled with `input` if it is given. */
  select(tool: string, input?: Record<string, unknown>): void;
  /** Runs a tool as if the user had pressed Run, so that the first view needs no click. */
  runFirst(): void;
}

const KEY = "vitrine-dev-tool";

/** Creates the selection. The tool that was selected last stays so in this tab. */
export function createToolSelection(
  state: Store<DevState>,
  { runs, storage }: { runs: ToolRuns; storage: Storage },
): ToolSelection {
  const select = (tool: string, input?: Record<string, unknown>): void => {
    const edition = (state.get().selection?.edition ?? 0) + 1;
    state.set({ selection: { tool, edition, ...(input && { input }) } });
    try {
      storage.setItem(KEY, tool);
    } catch {
      // Then the first one is selected after a reload.
    }
  };
  return {
    select,
    runFirst: () => {
      const { tools, run, status } = state.get();
      const selected = storage.getItem(KEY) ?? undefined;
      const tool = firstRun(tools, { target: status?.target ?? "", selected });
      if (!tool || run) {
        if (tools.some(({ name }) => name === selected)) select(selected as string);
        return;
      }
      const input = lastInput(storage, tool.name) ?? usualInput(tool.inputSchema);
      select(tool.name, input);
      void runs.run(tool, input);
    },
  };
}

/** What the form of a schema has before the user changes it. */
function usualInput(schema: unknown): Record<string, unknown> {
  const form = formOf(schema);
  const { value } = form ? readForm(form, initialDraft(form, true)) : {};
  return Object(value ?? {});
}
