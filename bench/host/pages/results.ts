import type { Sample } from "../../view/pages/slices.ts";
import { answerWithTable } from "./answer.ts";
import { loadView, openVariant, placeView, type Variant } from "./mounted-view.ts";
import { ask, listenToViews } from "./probe-window.ts";
import type { Addresses } from "./stack.ts";

/** A View that gets large results one after the other; it stays, so that its heap can be read. */
export interface Results {
  variant: Variant;
  times: number;
  /** Bytes of each. */
  result: number;
}

const shown = new Map<string, Window>();

/** Has the View of a variant call its tool so many times, with a large answer each. */
export async function runResults(task: Results, addresses: Addresses): Promise<Sample[]> {
  const { variant, times, result } = task;
  const view = shown.get(variant.name) ?? (await showFirst(variant, addresses));
  shown.set(variant.name, view);
  const undo = answerWithTable(result);
  await ask(view, { probe: "call", times }, "called");
  undo();
  return [];
}

async function showFirst(variant: Variant, addresses: Addresses): Promise<Window> {
  const stack = await openVariant(variant, addresses);
  const spoken = listenToViews(1);
  placeView(stack, await loadView(stack, variant, { stamp: "", done: true }));
  const [view] = (await spoken) as [Window];
  return view;
}
