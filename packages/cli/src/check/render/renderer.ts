// Shows one view in one browser context: the page with our host, the sandbox, and in it the view.

import type { Upstream } from "@vitrine/host";
import { INVALID_REQUEST, RpcError } from "@vitrine/protocol";
import type { Browser, BrowserContext } from "playwright-core";
import { agentScript } from "../../frame/frame-agent.ts";
import { openStage } from "../../stage/stage.ts";
import { lendUpstream } from "../../stage/upstream-link.ts";
import type { Picture } from "./picture.ts";
import { PRESSED, pressButtons } from "./press-buttons.ts";
import type { CallData, Run } from "./runs.ts";
import { Showing } from "./showing.ts";
import type { Sighting } from "./sighting.ts";
import { MARK, watchView } from "./watch-script.ts";

/** How views are shown. */
export interface RendererOptions {
  browser: Browser;
  upstream: Upstream;
  /** Milliseconds that a view has for each half of its handshake; default 6 s. */
  patience?: number;
  /** Called with a picture of each state. */
  onPicture?: ((picture: Picture) => void) | undefined;
  /** Whether the view can reach the addresses it declares; default true. */
  network?: boolean;
}

/** Shows one view after the other. */
export interface Renderer {
  /** Milliseconds that a view has for each half of its handshake. */
  readonly patience: number;
  /** `times` the usual time limit. */
  show(run: Run, call: CallData, times?: number): Promise<Sighting>;
  close(): Promise<void>;
}

/** Opens a renderer for the views of one server. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { browser, upstream, patience = 6_000, onPicture, network = true } = options;
  let pressing = 0;
  let refused = 0;
  const careful: Upstream = {
    ...upstream,
    request: async (method, params, asked) => {
      if (pressing > 0 && method === "tools/call") {
        refused++;
        throw new RpcError(INVALID_REQUEST, PRESSED);
      }
      return upstream.request(method, params, asked);
    },
  };
  const stage = await openStage({
    page: "render",
    onPage: (peer) => void lendUpstream(peer, () => careful),
  });
  return {
    patience,
    show: async (run, call, times = 1) => {
      const context = await browser.newContext({
        viewport: { width: run.width, height: 900 },
        colorScheme: run.scheme,
        locale: run.locale,
        timezoneId: "UTC",
      });
      try {
        if (!network) await keepLocal(context);
        const watch = `(${watchView})(${JSON.stringify(MARK)})`;
        await context.addInitScript({ content: `${watch};${agentScript()}` });
        const showing = new Showing(await context.newPage(), {
          run,
          call,
          stage,
          patience: patience * times,
          onPicture,
          press: async (frame, onPressed) => {
            pressing++;
            const refusals = (): number => refused;
            await pressButtons(frame, { refusals, onPressed }).finally(() => pressing--);
          },
        });
        return await showing.play();
      } finally {
        await context.close();
      }
    },
    close: () => stage.close(),
  };
}

async function keepLocal(context: BrowserContext): Promise<void> {
  const isElsewhere = ({ hostname }: URL): boolean => !/(?:^|\.)localhost$|^127\./.test(hostname);
  await context.route(isElsewhere, (route) => route.abort("internetdisconnected"));
}
