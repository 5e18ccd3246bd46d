// Shows one view in one browser context: the page with our host, the sandbox, and in it the view.

import type { Upstream } from "@vitrine/host";
import { INVALID_REQUEST, RpcError } from "@vitrine/protocol";
import type { Story } from "@vitrine/testing";
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
  /** `times` the usual time limit. A story answers the view's calls; it is shown alone. */
  show(run: Run, call: CallData, times?: number, story?: Story): Promise<Sighting>;
  close(): Promise<void>;
}

/** Opens a renderer for the views of one server. */
export async function openRenderer(options: RendererOptions): Promise<Renderer> {
  const { browser, upstream, patience = 6_000, onPicture, network = true } = options;
  let pressing = 0;
  let refused = 0;
  let shownStory: Story | undefined;
  let calls = 0;
  const careful: Upstream = {
    ...upstream,
    request: async (method, params, asked) => {
      if (pressing > 0 && method === "tools/call") {
        refused++;
        throw new RpcError(INVALID_REQUEST, PRESSED);
      }
      if (shownStory && method === "tools/call") {
        const { name } = params as { name: string };
        return answerOf(shownStory, name, calls++) as never;
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
    show: async (run, call, times = 1, story) => {
      shownStory = story;
      calls = 0;
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
        shownStory = undefined;
        await context.close();
      }
    },
    close: () => stage.close(),
  };
}

function answerOf({ name: story, tools = {} }: Story, name: string, at: number): object {
  const answer = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (answer === undefined)
    throw new RpcError(INVALID_REQUEST, `The story "${story}" has no answer for the tool ${name}.`);
  return (Array.isArray(answer) ? answer[Math.min(at, answer.length - 1)] : answer) as object;
}

async function keepLocal(context: BrowserContext): Promise<void> {
  const isElsewhere = ({ hostname }: URL): boolean => !/(?:^|\.)localhost$|^127\./.test(hostname);
  await context.route(isElsewhere, (route) => route.abort("internetdisconnected"));
}
