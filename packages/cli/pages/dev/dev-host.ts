// The page's main object: server, stage, timeline and settings, and the user's actions.

import {
  catalogueOf,
  type HostOptions,
  type RegisteredViewLike,
  readUiResource,
  type UiResource,
  type Upstream,
} from "@vitrine/host";
import type { Peer } from "@vitrine/protocol";
import { type McpUiDisplayMode, STATE_EXTENSION } from "@vitrine/protocol/apps";
import { toolResourceUri } from "@vitrine/protocol/apps/discovery";
import type { Scenario } from "@vitrine/testing";
import type {
  AutoViewMode,
  BlankReason,
  Registered,
  Registration,
  ReportAnswer,
  Verdict,
  Welcome,
} from "../../src/dev/page-protocol.ts";
import type { RecordedFrame, RecordedInput, Recording } from "../../src/dev/recording.ts";
import { readReport } from "../../src/frame/read-report.ts";
import type { GivenAnswer } from "../questions/question-form.tsx";
import { createStore, type Store } from "../store.ts";
import { type CheckRuns, createCheckRuns } from "./check-runs.ts";
import { type DevState, profileOf } from "./dev-state.ts";
import { explain } from "./explanation.ts";
import { faultyUpstream, NO_FAULTS } from "./faults.ts";
import { habitsOf } from "./host-habits.ts";
import { strictHostOptions } from "./host-options.ts";
import { createLayout, type PageLayout } from "./page-layout.ts";
import { plainPage } from "./plain-page.ts";
import { withProblem } from "./problem-list.ts";
import { followProcess } from "./process-events.ts";
import { readAhead } from "./read-ahead.ts";
import { noteConsent, recordedConsent } from "./recorded-consent.ts";
import { createScenarioLibrary, type ScenarioLibrary, settingsFor } from "./scenarios.ts";
import { scriptedUpstream } from "./scripted-upstream.ts";
import { createServerExplorer, type ServerExplorer } from "./server-explorer.ts";
import { contextOf, type Settings, savedSettings, saveSettings } from "./settings.ts";
import { createStoryLibrary, type StoryLibrary } from "./story-library.ts";
import { createTimelineStore, type TimelineStore } from "./timeline-store.ts";
import { createToolRuns, type PlayOptions, type ToolRuns } from "./tool-runs.ts";
import { createToolSelection, type ToolSelection } from "./tool-selection.ts";
import type { TrafficTap } from "./traffic-tap.ts";
import { insideAfter, NOTHING_INSIDE } from "./view-inside.ts";
import { watchReports } from "./view-reports.ts";
import { createViewStage, type ViewStage } from "./view-stage.ts";

/** The interface for the components. */
export interface DevHost {
  readonly state: Store<DevState>;
  /** The server's name among several. */
  readonly serverName: string;
  /** Of the page itself. */
  readonly layout: Store<PageLayout>;
  readonly timeline: TimelineStore;
  readonly stage: ViewStage;
  readonly runs: ToolRuns;
  readonly explorer: ServerExplorer;
  readonly checks: CheckRuns;
  readonly stories: StoryLibrary;
  readonly scenarios: ScenarioLibrary;
  /** Runs a tool with the results of a scenario. Throws if the server doesn't have the tool. */
  playScenario(scenario: Scenario, options?: PlayOptions): void;
  readonly select: ToolSelection["select"];
  change(settings: Partial<Settings>): void;
  setDisplayMode(mode: McpUiDisplayMode): void;
  setAutoViews(autoViewMode: AutoViewMode): Promise<void>;
  reloadView(): void;
  restartServer(): Promise<void>;
  /** Begins a log-in. Returns the address of the authorization server. */
  logIn(server: string): Promise<string>;
  clearTimeline(): Promise<void>;
  recording(): Promise<Recording>;
  judge(): Promise<Verdict>;
  note(input: RecordedInput): void;
  /** Answers a question of a server or a view. */
  answer(question: string, answer: GivenAnswer): Promise<void>;
}

/** The page's connections. */
export interface DevHostOptions {
  peer: Peer;
  upstream: Upstream;
  /** Address of the sandbox. */
  entrance: string;
  tap: TrafficTap;
  welcome: Welcome;
}

const MOST = 500;
const FLOCK = 100;
// A shorter stage can't be read, and drawing it would slow the view down.
const PASSING = 250;
// The timeline isn't drawn while a view reloads, unless that takes longer.
const START = 700;
const SETTLING = 60;
// The author answers when they want to.
const FOREVER = 2 ** 31 - 1;
// A host stores a view's state at most ten times a second, so the newest may still be waiting.
const STATE_PACE = 110;
// Reported for a view that loaded but didn't start.
const SILENT: readonly string[] = ["document-timeout", "initialized-timeout", "view-error"];

/** Creates the page's main object. */
export function createDevHost({ peer, upstream, entrance, tap, welcome }: DevHostOptions): DevHost {
  const { status, profiles, autoViewMode, replay } = welcome;
  let { began } = welcome;
  const state = createStore<DevState>({
    isConnected: true,
    status,
    profiles,
    autoViewMode,
    tools: [],
    toolsError: undefined,
    selection: undefined,
    settings: savedSettings(),
    run: undefined,
    history: [],
    stage: undefined,
    displayMode: "inline",
    diagnostics: [],
    blocked: [],
    reasons: [],
    problems: [],
    inside: NOTHING_INSIDE,
    buildErrors: welcome.buildErrors,
    logins: welcome.logins,
    log: [],
    serverLog: [],
    listChanges: 0,
    stderr: "",
    reloads: 0,
    questions: welcome.questions,
    servers: welcome.servers,
    chat: welcome.chat,
    replay: replay && { total: replay.inputs.length, done: 0 },
  });
  const timeline = createTimelineStore();
  const keep = <Entry>(list: readonly Entry[], entry: Entry): Entry[] =>
    [...list, entry].slice(-MOST);

  let telling: ReturnType<typeof setTimeout> | undefined;
  let stateSaid = Number.NEGATIVE_INFINITY;
  const stage = createViewStage({
    stateDue: () => stateSaid + STATE_PACE - performance.now(),
    onStage: (view, reached) => {
      clearTimeout(telling);
      const tell = (): void => {
        if (view === stage.view || !stage.view)
          state.set({ stage: reached, displayMode: view.displayMode });
      };
      if (reached !== "shown") telling = setTimeout(tell, PASSING);
      else {
        tell();
        timeline.rest(SETTLING);
        // It was late, but it arrived.
        if (state.get().reasons.length > 0) state.set({ reasons: [] });
      }
    },
    onHost: (host) => {
      noteConsent(host, (input) => note(input));
      host.onDiagnostic((diagnostic) => {
        // The sandbox reports the same request, together with the line that allows it.
        if (diagnostic.code === "blocked" && diagnostic.level === "warning") return;
        state.set({ diagnostics: keep(state.get().diagnostics, explain(diagnostic, toolNames())) });
        if (SILENT.includes(diagnostic.code)) void askWhy();
      });
    },
  });
  const toolNames = (): string[] => state.get().tools.map(({ name }) => name);
  /** Asks the process, which has the view's page, why it never connected. */
  const askWhy = async (): Promise<void> => {
    const { view } = stage;
    const tool = state.get().run?.tool.name;
    if (tool === undefined) return;
    const answer = await peer.request("dev/explain", { tool }).catch(() => undefined);
    if (answer && view === stage.view && state.get().stage !== "shown")
      state.set({ reasons: (answer as { reasons: BlankReason[] }).reasons });
  };

  watchReports(window, {
    onView: () => state.set({ problems: [], inside: NOTHING_INSIDE }),
    onReport: (message) => void report(message),
  });
  const report = async (message: string): Promise<void> => {
    const sent = readReport(message)?.report;
    const { problems, inside } = state.get();
    state.set({ inside: insideAfter(inside, sent) });
    if (sent?.kind === "silent") void askWhy();
    if (sent?.kind === "visible")
      state.set({ problems: problems.filter((problem) => problem.kind !== "blank") });
    const asked = peer.request("dev/report", { message }).catch(() => undefined);
    const found = Object(await asked) as ReportAnswer;
    if (found.log) state.set({ log: keep(state.get().log, found.log) });
    if (found.problem) state.set({ problems: withProblem(state.get().problems, found.problem) });
  };

  const consent = replay && recordedConsent(replay);
  let shownPage: string | undefined;
  /** The view that is about to be shown; its hash tells the process which page is meant. */
  let reviewed: UiResource | undefined;
  const register = async (view: Registration): Promise<Registered> =>
    (await peer.request("dev/register", view)) as Registered;
  const hostOptions = (): HostOptions =>
    strictHostOptions(state.get(), {
      entrance,
      review: (resource) => {
        reviewed = resource;
        return true;
      },
      register: async ({ html, ...view }) => {
        shownPage = html;
        const hasLastingOrigin = profileOf(state.get()) !== undefined;
        if (reviewed?.html === html) {
          const answer = await register({ ...view, hasLastingOrigin, page: reviewed.hash });
          if (!("isUnknown" in answer)) return answer;
        }
        return (await register({ ...view, hasLastingOrigin, html })) as RegisteredViewLike;
      },
      // A replay runs without an author.
      sample: replay
        ? undefined
        : async (params) =>
            (await peer.request("dev/sample", params, { timeout: FOREVER })) as never,
      consent,
      onLog: (entry) => state.set({ log: keep(state.get().log, entry) }),
    });
  const applyHabits = (): void => {
    tap.rules = habitsOf(profileOf(state.get()), state.get().settings.faults);
  };
  const faults = () => state.get().settings.faults;
  /** Fresh each time, so that nothing is cached. */
  const server = (): Upstream =>
    faultyUpstream(
      scriptedUpstream(upstream, () => state.get().run?.scenario),
      faults,
    );

  const listTools = async (): Promise<void> => {
    try {
      const tools = await catalogueOf(server()).all();
      state.set({ tools, toolsError: undefined });
    } catch (error) {
      state.set({ toolsError: error instanceof Error ? error.message : String(error) });
    }
  };
  /**
   * Reloads the current view; `changes` are applied together with it, because the page is drawn for
   * each.
   */
  const renew = (
    from: Upstream = server(),
    { isDrained = false, changes }: { isDrained?: boolean; changes?: Partial<DevState> } = {},
  ): void => {
    const { run } = state.get();
    const tool = run && (state.get().tools.find(({ name }) => name === run.tool.name) ?? run.tool);
    if (!run || !tool || !stage.view) return;
    void stage.renew({ tool, upstream: from }, { isDrained });
    state.set({ ...changes, ...(tool !== run.tool && { run: { ...run, tool } }) });
  };

  /** Whether a view's page differs from the current one, and can be shown. */
  const isAnother = async (ahead: Upstream, uri: string): Promise<boolean> => {
    const page = await ahead.request("resources/read", { uri }).then(plainPage, () => undefined);
    // Comparing is fast; hashing isn't, and the host hashes the shown page anyway.
    if (page !== undefined && shownPage !== undefined) return page !== shownPage;
    const resource = await readUiResource(ahead, uri).catch(() => undefined);
    return resource !== undefined && resource.hash !== stage.hash;
  };

  /** Checks whether the current view has another page now, and reloads it. */
  const refresh = async (restarted: boolean): Promise<boolean> => {
    if (restarted) await listTools();
    const { run, tools } = state.get();
    const tool = run && tools.find(({ name }) => name === run.tool.name);
    const { uri } = (tool && toolResourceUri(tool)) ?? {};
    if (!tool || uri === undefined || !stage.view) return false;
    const ahead = readAhead(server());
    const [isOther] = await Promise.all([isAnother(ahead, uri), stage.drain()]);
    if (!isOther) return false;
    timeline.rest(START);
    const reloads = state.get().reloads + 1;
    const changes = { reloads, diagnostics: [], blocked: [], reasons: [], problems: [] };
    renew(ahead, { isDrained: true, changes });
    return true;
  };

  const note = (input: RecordedInput): void => peer.notify("dev/input", { input });
  const runs = createToolRuns({ state, stage, tap, server, note });

  const unsent: RecordedFrame[] = [];
  const send = (): void => {
    const frames = unsent.splice(0);
    if (frames.length > 0 && peer.channel) peer.notify("dev/frames", { frames });
  };
  tap.onMessage(({ at, from, view, message, size }) => {
    const frame: RecordedFrame = { at, from, to: from === "view" ? "host" : "view", view, message };
    timeline.add({ ...frame, at: at - began }, size);
    if (Object(message).method === STATE_EXTENSION) stateSaid = performance.now();
    // In batches: a view may send a hundred messages a second.
    if (unsent.push(frame) === 1) setTimeout(send, FLOCK);
  });
  followProcess(peer, { state, timeline, frames: welcome.frames });
  tap.countFrom(Math.max(0, ...welcome.frames.map(({ view = 0 }) => view)));
  peer.handle("dev/refresh", async (params) => ({
    changed: await refresh((params as { restarted: boolean }).restarted),
  }));
  upstream.onListChanged((list) => {
    if (list === "tools") void listTools();
    else state.set({ listChanges: state.get().listChanges + 1 });
  });

  tap.storyRules = (id) =>
    habitsOf(
      profiles.find((one) => one.id === id),
      NO_FAULTS,
    );
  applyHabits();
  stage.setOptions(hostOptions());
  const { select, runFirst } = createToolSelection(state, { runs, storage: sessionStorage });
  void listTools().then(() => welcome.runsFirstTool && runFirst());

  const host: DevHost = {
    state,
    select,
    serverName: welcome.serverName,
    layout: createLayout(localStorage),
    timeline,
    stage,
    runs,
    explorer: createServerExplorer(peer, upstream),
    checks: createCheckRuns(peer),
    stories: createStoryLibrary({ peer, upstream, entrance }),
    scenarios: createScenarioLibrary(peer),
    playScenario: (scenario, options) => {
      const tool = state.get().tools.find(({ name }) => name === scenario.tool);
      if (!tool) throw new Error(`The server has no tool "${scenario.tool}".`);
      if (scenario.host) host.change(settingsFor(scenario.host));
      void runs.play(tool, scenario, options);
    },
    note,
    change: (change) => {
      const before = state.get().settings;
      const settings = { ...before, ...change };
      state.set({ settings });
      saveSettings(settings);
      applyHabits();
      const isOther =
        settings.profile !== before.profile ||
        settings.faults.noServerTools !== before.faults.noServerTools;
      if (isOther) {
        stage.setOptions(hostOptions());
        renew();
      } else stage.host?.setContext(contextOf(settings, profileOf(state.get())));
      // A host that is created later needs it too.
      stage.updateOptions(hostOptions());
    },
    setDisplayMode: (mode) => {
      const displayMode = stage.view?.setDisplayMode(mode);
      if (displayMode) state.set({ displayMode });
    },
    setAutoViews: async (next) => {
      state.set({ autoViewMode: next });
      await peer.request("dev/auto-views", { autoViewMode: next });
      await listTools();
    },
    answer: async (id, answer) => {
      const { isTaken } = (await peer.request("dev/answer", { id, ...answer })) as {
        isTaken: boolean;
      };
      if (!isTaken) throw new Error("This answer doesn't fit the question. Check its fields.");
    },
    reloadView: () => renew(),
    restartServer: async () => {
      await peer.request("dev/restart");
    },
    logIn: async (server) =>
      ((await peer.request("dev/login", { server })) as { address: string }).address,
    clearTimeline: async () => {
      ({ began } = (await peer.request("dev/clear")) as { began: number });
      timeline.clear();
    },
    recording: async () => {
      send();
      return (await peer.request("dev/recording")) as Recording;
    },
    judge: async () => {
      send();
      return (await peer.request("dev/replayed")) as Verdict;
    },
  };
  return host;
}
