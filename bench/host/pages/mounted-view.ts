import type { HostSession } from "../../view/pages/host-session.ts";
import { loadViewPage } from "../../view/pages/view-page-source.ts";
import type { Addresses, OpenStack, Stack, ViewToShow } from "./stack.ts";

/** A stack and the View it shows, as `variants.mjs` names them. */
export interface Variant {
  name: string;
  stack: keyof typeof STACKS;
  /** Where the View's document is. */
  page: string;
  /** Whether the next View is prepared before it is wanted. */
  prepared?: boolean;
}

// Apart, so that a page which shows one stack has not evaluated the others.
const STACKS = {
  official: () => import("./official-stack.ts"),
  window: () => import("./window-stack.ts"),
  port: () => import("./port-stack.ts"),
  frames: () => import("./frames-stack.ts"),
  vitrine: () => import("./vitrine-stack.ts"),
  entrance: () =>
    import("./vitrine-stack.ts").then(({ openEntranceStack }) => ({
      openStack: openEntranceStack,
    })),
  warmed: () =>
    import("./vitrine-stack.ts").then(({ openWarmedStack }) => ({ openStack: openWarmedStack })),
};

const opened = new Map<string, Stack>();

/** The variant's stack, loaded and set up. */
export async function openVariant({ stack }: Variant, addresses: Addresses): Promise<Stack> {
  const known = opened.get(stack);
  if (known) return known;
  const module: { openStack: OpenStack } = await STACKS[stack]();
  const open = module.openStack(addresses);
  opened.set(stack, open);
  return open;
}

/** The View of a variant; a new stamp makes new source text, which V8 compiles. */
export async function loadView(
  stack: Stack,
  { page }: Variant,
  { stamp, done }: { stamp: string; done: boolean },
): Promise<ViewToShow> {
  const view = { html: await loadViewPage(page, stamp), done };
  stack.load?.(view);
  return view;
}

/** A View in its place in the page. */
export interface PlacedView {
  session: HostSession;
  remove(): void;
}

/** Gives a View a place in the page and has its stack show it there. */
export function placeView(stack: Stack, view: ViewToShow): PlacedView {
  const container = document.createElement("div");
  document.body.append(container);
  const session = stack.mount(container, view);
  return {
    session,
    remove: () => {
      session.close();
      container.remove();
    },
  };
}
