import type { Engine } from "../engine/engine.ts";
import { createEndedViews, type EndedViews } from "./ended-views.ts";
import { createLiveCalls, type LiveCalls } from "./live-calls.ts";
import { createServerStates, type ServerStates } from "./server-states.ts";
import { createToolApprovals, type ToolApprovals } from "./tool-approvals.ts";

/** What operators see and stop: paused servers, changed tools, ended Views and running calls. */
export interface OperatorControls {
  readonly states: ServerStates;
  readonly toolApprovals: ToolApprovals;
  readonly endedViews: EndedViews;
  readonly liveCalls: LiveCalls;
}

/** Opens the controls in an engine. */
export function createOperatorControls(
  engine: Engine,
): OperatorControls & { closeControls(): void } {
  const states = createServerStates(engine);
  const toolApprovals = createToolApprovals(engine);
  const endedViews = createEndedViews(engine);
  return {
    ...{ states, toolApprovals, endedViews, liveCalls: createLiveCalls() },
    closeControls: () => {
      states.close();
      toolApprovals.close();
      endedViews.close();
    },
  };
}
