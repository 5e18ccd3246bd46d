// The stories of the project, and views that show them: each in a host of its own, whose tool calls are
// answered by the story and never reach the server.

import { createHost, type HostedView, type Upstream } from "@vitrine/host";
import { INVALID_REQUEST, type Peer, RpcError } from "@vitrine/protocol";
import type { Tool } from "@vitrine/protocol/apps";
import type { ScenarioHost, Story } from "@vitrine/testing";
import type { HostProfile } from "../../src/dev/host-profile.ts";
import type { StoryFile } from "../../src/stories/story-file.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";
import { contextOf, defaultSettings } from "./settings.ts";
import { STORY_MARK } from "./story-traffic.ts";

/** One cell of the grid. */
export interface StoryPlan {
  story: Story;
  tool: Tool;
  host: ScenarioHost;
  profile: HostProfile | undefined;
}

/** Reads stories, and mounts them. */
export interface StoryLibrary {
  list(): Promise<StoryFile[]>;
  /** Calls `listener` after a change of a file. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Shows a story. Returns a function that removes it. */
  mount(place: HTMLElement, plan: StoryPlan): () => void;
}

const TIMES = { resource: 10_000, sandbox: 8_000, document: 8_000, initialize: 8_000 };

/** The library behind the page. */
export function createStoryLibrary({
  peer,
  upstream,
  entrance,
}: {
  peer: Peer;
  upstream: Upstream;
  entrance: string;
}): StoryLibrary {
  const listeners = new Set<() => void>();
  peer.on("dev/stories-changed", () => {
    for (const listener of [...listeners]) listener();
  });
  return {
    list: async () =>
      ((await peer.request("dev/stories", {}, { timeout: 30_000 })) as { files: StoryFile[] })
        .files,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    mount: (place, { story, tool, host: wanted, profile }) => {
      const { theme = "light", locale = "en-US", displayMode } = wanted;
      const settings = { ...defaultSettings(), theme, locale, timeZone: "UTC" };
      const host = createHost({
        sandbox: entrance,
        contextFromPage: false,
        context: contextOf(settings, profile),
        hostInfo: {
          ...(profile?.hostInfo ?? { name: "vitrine-dev", version: "0.1.0" }),
          [STORY_MARK]: profile?.id ?? "",
        } as never,
        ...(profile && { displayModes: profile.displayModes }),
        times: TIMES,
        developer: true,
        warmUp: false,
        maxHeight: 900,
        // Its calls have scripted answers; links stay closed.
        consent: ({ kind }) => kind !== "link" && kind !== "download",
        onmessage: async () => ({}),
      });
      const view = host.mount(place, {
        key: "story",
        upstream: scriptedUpstream(unanswered(upstream), () => story),
        tool,
      });
      deliver(view, story);
      if (displayMode && displayMode !== "inline")
        view.onStage((stage) => {
          if (stage === "initialized") view.setDisplayMode(displayMode);
        });
      return () => void host.close();
    },
  };
}

function deliver(view: HostedView, { input, partialInputs = [], result, cancelled }: Story): void {
  for (const partialInput of partialInputs) view.update({ partialInput });
  if (input) view.update({ input });
  if (result) view.update({ result });
  if (cancelled !== undefined) view.update({ cancelled });
}

/** The server without its tools: a story never calls one. */
function unanswered(upstream: Upstream): Upstream {
  return {
    get server() {
      return upstream.server;
    },
    get capabilities() {
      return upstream.capabilities;
    },
    request: async (method, params, options) => {
      if (method !== "tools/call") return upstream.request(method, params, options);
      const { name } = params as { name: string };
      const words = `The story has no answer for the tool "${name}". Add it to "tools".`;
      throw new RpcError(INVALID_REQUEST, words);
    },
    onListChanged: () => () => {},
  };
}
