// Connects everything: the server, the stage, the files, the recording, and every open page.

import { join } from "node:path";
import type { Upstream } from "@vitrine/host";
import type { Peer } from "@vitrine/protocol";
import type { OperatorPolicy, ViewRegistration } from "@vitrine/sandbox";
import { finishLogin } from "../auth/finish-login.ts";
import type { LoginFile } from "../auth/login-file.ts";
import { createQuestions, type Questions } from "../questions/server-questions.ts";
import { openStage, type Stage } from "../stage/stage.ts";
import { lendUpstream } from "../stage/upstream-link.ts";
import type { Frame } from "../target/server-connection.ts";
import { answerAuthor } from "./author-requests.ts";
import { autoViewsUpstream } from "./auto-views-upstream.ts";
import { watchBuildErrors } from "./build-errors.ts";
import { createDevCheck, type RunCheck } from "./dev-check.ts";
import { beginLogin, loginStates, openDevLogins } from "./dev-logins.ts";
import type { DevServer, DevServerOptions } from "./dev-server.ts";
import { createEvalProbes } from "./eval-probe.ts";
import { type FileWatch, isBelow, isProgram, watchFiles } from "./file-watch.ts";
import { createLastingOrigins } from "./lasting-origins.ts";
import type {
  AutoViewMode,
  BlankReason,
  BlockedReport,
  DevChatState,
  Registration,
  Verdict,
  Welcome,
} from "./page-protocol.ts";
import { readProfiles } from "./profiles.ts";
import { keepReadPages } from "./read-pages.ts";
import { createRecorder } from "./recorder.ts";
import type { RecordedFrame, RecordedInput, Recording } from "./recording.ts";
import { comparedMessages, compareRecordings } from "./recording-comparison.ts";
import { createScenarioFiles, SCENARIO_FOLDER } from "./scenario-files.ts";
import type { ServerChoices } from "./server-choices.ts";
import { watchStories } from "./story-watch.ts";
import { createViewAgents } from "./view-agents.ts";

/** Options of a session. */
export interface DevSessionOptions {
  /** Starts the server, or replays it. */
  start(options: DevServerOptions): Promise<DevServer>;
  port?: number | undefined;
  /** Folders and files to watch; none watches nothing. */
  watch: readonly string[];
  /** Files that the server reads for each request: a change there doesn't restart it. */
  views?: readonly string[] | undefined;
  /** The project's folder, where source maps of views are searched; by default the current one. */
  folder?: string;
  record?: string | undefined;
  replay?: Recording | undefined;
  /** Checks the server; by default as the server does. */
  check?: RunCheck;
  /** The stored log-ins; by default those of the user. */
  loginFile?: LoginFile;
  /** Whether a page runs the first tool with a view that needs no input; by default it doesn't. */
  runsFirstTool?: boolean;
  /** Permissions in addition to the strict policy. */
  policy?: OperatorPolicy;
  /** The server's name among several. */
  name?: string;
  /** All servers of the command. */
  choices?: ServerChoices;
  /** The questions of all servers; by default only those of this one. */
  questions?: Questions;
  /** Called with each event that is worth a line in the terminal. */
  onEvent(event: DevEvent): void;
}

/** An event for the user at the terminal. */
export type DevEvent =
  | { kind: "stderr"; text: string }
  | { kind: "reloaded" | "restarted"; paths: string[]; milliseconds: number }
  | { kind: "failed"; reason: string }
  | { kind: "replayed"; verdict: Verdict };

/** A running session. */
export interface DevSession {
  readonly url: string;
  readonly server: DevServer;
  /** The page's origin. */
  readonly origin: string;
  /** The server as the page uses it, with generated views. */
  readonly upstream: Upstream;
  /** Shows a chat with a model in the page, from its next load. */
  showChat(chat: DevChatState): void;
  close(): Promise<void>;
}

const REFRESH_TIME = 20_000;
// Notifications to pages come after the messages themselves, because requests wait for those.
const FLOCK = 100;
// And after the view that they changed: they contain its page again.
const QUIET = 600;

/** Starts everything; after a failure nothing is left running. */
export async function openDevSession(options: DevSessionOptions): Promise<DevSession> {
  const { views = [] } = options;
  const pages = new Set<Peer>();
  const probes = createEvalProbes();
  const agents = createViewAgents(options.folder, (action) => recorder.note(action));
  const lasting = createLastingOrigins();
  /** The view that was registered last, which is the one that is shown. */
  let newest: ViewRegistration | undefined;
  let autoViewMode: AutoViewMode = "auto";
  let chat: DevChatState | undefined;
  let files: FileWatch | undefined;
  let builds: FileWatch | undefined;
  let buildErrors: string[] = [];

  const tell = (method: string, params: object): void => {
    for (const page of pages) {
      if (page.channel) page.notify(method, params);
      else pages.delete(page);
    }
  };
  const recorder = createRecorder({
    file: options.record,
    server: () => {
      const { name, era, version, capabilities } = server.status;
      return { name, era, ...(version !== undefined && { version }), capabilities };
    },
  });
  const untold: RecordedFrame[] = [];
  let quietUntil = 0;
  const tellFrames = (): void => {
    const frames = untold.splice(0);
    if (frames.length > 0) tell("dev/frames", { frames });
  };
  const project = options.folder ?? process.cwd();
  const scenarios = createScenarioFiles(project);
  const stories = watchStories(project, { onChange: () => tell("dev/stories-changed", {}) });
  // A scenario that was saved changes neither the server nor its views.
  const scenarioFolder = join(project, SCENARIO_FOLDER);
  const questions = options.questions ?? createQuestions();
  const stops = [
    questions.onChange(() => tell("dev/questions", { questions: questions.open })),
    options.choices?.onChange(() => tell("dev/servers", { servers: options.choices?.list ?? [] })),
  ];
  const logins = openDevLogins({
    ...(options.loginFile && { file: options.loginFile }),
    port: () => opened().port,
    onChange: (states) => tell("dev/logins", { logins: states }),
  });
  const server = await options.start({
    logins,
    questions: {
      elicit: (params, signal) =>
        questions.ask(options.name ?? server.status.name, params, { signal }),
      sample: (params, signal) =>
        questions.sample(options.name ?? server.status.name, params, { signal }),
    },
    onFrame: (frame) => {
      const wait = Math.max(FLOCK, quietUntil - performance.now());
      if (untold.push(recorder.add(ofServer(frame))) === 1) setTimeout(tellFrames, wait).unref();
    },
    onStderr: (text) => {
      options.onEvent({ kind: "stderr", text });
      tell("dev/stderr", { text });
    },
  });
  const { upstream, pages: readPages } = keepReadPages(
    autoViewsUpstream(server.upstream, () => autoViewMode),
  );
  const profiles = await readProfiles();

  const refresh = async (restarted: boolean): Promise<boolean> => {
    const answers = await Promise.allSettled(
      [...pages].map((page) =>
        page.request("dev/refresh", { restarted }, { timeout: REFRESH_TIME }),
      ),
    );
    return answers.some(
      (answer) => answer.status === "fulfilled" && (answer.value as { changed?: boolean }).changed,
    );
  };
  const change = async (paths: string[]): Promise<void> => {
    const since = performance.now();
    quietUntil = since + QUIET;
    const took = (): number => Math.round(performance.now() - since);
    const { canRestart } = server.status;
    const others = paths.filter((path) => !isBelow(views, path));
    // In parallel with the request for another view, because they don't depend on each other.
    const starting = canRestart && others.some(isProgram) ? server.restart() : undefined;
    // A view that is read for each request needs no new server, which is faster.
    const changed = await refresh(false);
    if (changed) options.onEvent({ kind: "reloaded", paths, milliseconds: took() });
    const isServed = changed || others.length === 0 || !canRestart;
    if (!(await (starting ?? (!isServed && server.restart())))) return;
    await refresh(true);
    options.onEvent({ kind: "restarted", paths, milliseconds: took() });
  };

  const runCheck = options.check ?? server.check;
  const check =
    runCheck && createDevCheck(runCheck, (picture) => tell("dev/check-picture", picture));

  const attend = (page: Peer): void => {
    pages.add(page);
    lendUpstream(page, () => upstream);
    page.handle("dev/hello", (): Welcome => {
      // It has them in the following messages.
      tellFrames();
      return {
        status: server.status,
        profiles,
        autoViewMode,
        frames: recorder.recording.frames,
        began: recorder.began,
        buildErrors,
        runsFirstTool: options.runsFirstTool === true,
        questions: questions.open,
        serverName: options.name ?? "",
        servers: options.choices?.list ?? [],
        ...(chat && { chat }),
        logins: loginStates(logins),
        ...(options.replay && { replay: options.replay }),
      };
    });
    page.handle("dev/register", async (params) => {
      const {
        page,
        html = readPages.find(page ?? ""),
        hasLastingOrigin,
        ...rest
      } = params as Registration;
      if (html === undefined) return { isUnknown: true };
      const view = { ...rest, html } as ViewRegistration;
      const { origin: target = "", sandbox } = opened();
      const served = agents.prepare(html, { resource: String(view.resource), target });
      const placed = hasLastingOrigin ? lasting.of(view) : view;
      const registered = await sandbox.register({ ...placed, html: served });
      probes.note(registered.viewId, served);
      newest = view;
      return registered;
    });
    page.handle("dev/explain", async (params): Promise<{ reasons: BlankReason[] }> => {
      const { html, meta, resource } = newest ?? {};
      if (html === undefined || resource === undefined) return { reasons: [] };
      const { tool } = params as { tool: string };
      // Only when a view stays blank: loading a parser would slow the start.
      const { explainBlank } = await import("./blank-view.ts");
      const { target } = server.status;
      const source = await agents.sourceOf(html, resource);
      return { reasons: await explainBlank({ html, meta, resource, tool, target, source }) };
    });
    page.handle("dev/report", (params) => agents.explain((params as { message: unknown }).message));
    answerAuthor(page, { server, questions, scenarios, stories });
    page.handle("dev/login", (params) => beginLogin(logins, params));
    page.handle("dev/check", () => {
      if (!check) throw new Error("A recording can't be checked.");
      return check();
    });
    page.handle("dev/restart", async () => {
      const isReady = await server.restart();
      if (isReady) await refresh(true);
      return { isReady };
    });
    page.handle("dev/auto-views", (params) => {
      autoViewMode = (params as { autoViewMode: AutoViewMode }).autoViewMode;
      return {};
    });
    page.handle("dev/recording", () => recorder.recording);
    page.handle("dev/clear", () => {
      recorder.clear();
      untold.length = 0;
      return { began: recorder.began };
    });
    page.handle("dev/replayed", (): Verdict => judge());
    page.on("dev/frames", (params) => {
      for (const frame of (params as { frames: RecordedFrame[] }).frames) recorder.add(frame);
    });
    page.on("dev/input", (params) => recorder.note((params as { input: RecordedInput }).input));
  };
  // A page can only come from the stage that is opened below.
  let stage: Stage | undefined;
  const opened = (): Stage => {
    if (!stage) throw new Error("The stage is not open yet.");
    return stage;
  };
  const judge = (): Verdict => {
    const expected = options.replay ?? recorder.recording;
    const difference = compareRecordings(expected, recorder.recording);
    const verdict: Verdict = {
      same: !difference,
      messages: comparedMessages(expected),
      ...(difference && { words: difference.words }),
    };
    options.onEvent({ kind: "replayed", verdict });
    return verdict;
  };

  try {
    const started = await openStage({
      page: "dev",
      ...(options.port !== undefined && { port: options.port }),
      onPage: attend,
      callback: (parameters) => finishLogin(logins, parameters),
      onPlace: (place) => probes.addReport(place),
      stableDomains: lasting.domains,
      ...(options.policy && { policy: options.policy }),
    });
    stage = started;
    started.sandbox.onDiagnostic(({ kind, where, value, message, fix, resource, viewId }) => {
      const isProbe = kind === "blocked" && value === "eval" && probes.takeProbe(viewId);
      const report: BlockedReport = {
        kind,
        where,
        value,
        message,
        resource,
        ...(fix !== undefined && { fix }),
        ...(isProbe && { isProbe }),
      };
      tell("dev/blocked", report);
    });
    server.onStatus((status) => {
      if (status.state === "failed" || status.state === "gone")
        options.onEvent({ kind: "failed", reason: status.reason ?? "The server has exited." });
      tell("dev/status", status);
    });
    const watched = [...options.watch, ...views];
    if (watched.length > 0) {
      let last = Promise.resolve();
      files = await watchFiles(watched, {
        ignore: [scenarioFolder, ...(options.record ? [options.record] : [])],
        prompt: views,
        onChange: (paths) => {
          last = last.then(() => change(paths)).catch(() => {});
        },
      });
    }
    if (watched.length > 0)
      builds = await watchBuildErrors(project, (errors) => {
        buildErrors = errors;
        tell("dev/build", { errors });
      });
    return {
      url: started.url,
      origin: started.origin,
      server,
      upstream,
      showChat: (shown) => {
        chat = shown;
        started.allowFrame(new URL(shown.url).origin);
      },
      close: async () => {
        for (const stop of stops) stop?.();
        if (!options.questions) questions.close();
        await files?.close();
        await builds?.close();
        await stories.close();
        await recorder.close();
        await Promise.all([started.close(), server.close()]);
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

function ofServer({ at, direction, message }: Frame): RecordedFrame {
  const to = direction === "to-server" ? "server" : "host";
  return {
    at: performance.timeOrigin + at,
    from: to === "server" ? "host" : "server",
    to,
    message,
  };
}
