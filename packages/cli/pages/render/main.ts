// One view in the strict host, controlled by a program that decides what to send to the view and
// when, and reads the outcome.

import { createHost, type HostedView, themeContext, type Upstream } from "@vitrine/host";
import type { RenderEvent, RenderPlan, RenderStage } from "../../src/check/render/plan.ts";
import { openLink, stageAddress } from "../link.ts";
import { linkedUpstream } from "../linked-upstream.ts";

declare global {
  interface Window {
    renderStage?: RenderStage;
  }
}

const events: RenderEvent[] = [];
const began = performance.now();
const place = document.querySelector("#place") as HTMLElement;
let view: HostedView | undefined;

type NoTime<E> = E extends unknown ? Omit<E, "at"> : never;

function note(event: NoTime<RenderEvent>): void {
  // A view that floods its host must not fill our memory too.
  if (events.length < 5_000) events.push({ at: Math.round(performance.now() - began), ...event });
}

/** The server of this run, which records the view's own calls. */
function offered(upstream: Upstream, { offersTools }: RenderPlan): Upstream {
  const { tools, ...others } = upstream.capabilities;
  return {
    ...upstream,
    capabilities: offersTools ? upstream.capabilities : others,
    request: async (method, params, options) => {
      if (method !== "tools/call") return upstream.request(method, params, options);
      const { name } = params as { name: string };
      try {
        const result = await upstream.request(method, params, options);
        note({
          kind: "call",
          name,
          outcome: (result as { isError?: boolean }).isError ? "error" : "result",
          hosts: hostsIn(result),
        });
        return result;
      } catch (error) {
        note({ kind: "call", name, outcome: `${(error as Error).message}` });
        throw error;
      }
    },
  };
}

/** The hosts that a result mentions, which the view may load from. */
function hostsIn(result: unknown): string[] {
  const found = JSON.stringify(result)
    .slice(0, 1_000_000)
    .matchAll(/\b(?:https?|wss?):\/\/([\w.-]+)/g);
  return [...new Set(Array.from(found, ([, host = ""]) => host))].slice(0, 50);
}

async function open(plan: RenderPlan): Promise<void> {
  const address = stageAddress();
  const upstream = offered(await linkedUpstream(await openLink(address)), plan);
  const { theme, context, times } = plan;
  const host = createHost({
    // A run has exactly the fields that it is about.
    contextFromPage: false,
    sandbox: address.sandbox,
    hostInfo: { name: "vitrine check", version: "0.1.0" },
    context: { ...(theme && themeContext(theme)), ...context },
    displayModes: ["inline"],
    times,
    // Nobody can be asked: tools that only read are allowed, and nothing leaves the page.
    consent: (request) => {
      const hints = request.kind === "tool" ? request.tool.annotations : undefined;
      const allow =
        request.kind === "tool" && hints?.destructiveHint !== true && hints?.readOnlyHint !== false;
      note({ kind: "consent", about: request.kind, allow });
      return { allow };
    },
    onmessage: async () => ({}),
    onloggingmessage: ({ level, data }) =>
      note({ kind: "log", level, text: `${JSON.stringify(data)}`.slice(0, 500) }),
  });
  host.onDiagnostic(({ level, stage, code, detail, cause }) => {
    const why =
      detail ??
      (cause instanceof Error ? cause.message : cause === undefined ? undefined : String(cause));
    note({
      kind: "diagnostic",
      level,
      stage,
      code,
      ...(why !== undefined && { detail: why.slice(0, 1_000) }),
    });
  });
  view = host.mount(place, { key: "view", upstream, tool: plan.tool as never });
  view.onStage((stage) => {
    note({ kind: "stage", stage });
    if (stage === "initialize") {
      view?.bridge?.addEventListener("sizechange", ({ width, height }) =>
        note({
          kind: "size",
          frame: place.clientHeight,
          ...(width !== undefined && { width }),
          ...(height !== undefined && { height }),
        }),
      );
    }
  });
  note({ kind: "stage", stage: view.stage });
  // The host keeps it until the view may receive it: a program that waits for that moment is too
  // late.
  for (const data of plan.first) view.update(data as never);
}

window.renderStage = {
  open,
  events: () => events,
  stage: () => view?.stage ?? "resource",
  tell: (data) => view?.update(data as never),
  // Bypasses the host's order, to simulate other hosts.
  send: (method, params) => void view?.bridge?.peer.notify(method as never, params as never),
};
