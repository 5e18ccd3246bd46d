// One run of one view, from an empty page to the result.

import type { ConsoleMessage, Frame, Page } from "playwright-core";
import { AGENT_MARK, type AgentReport } from "../../frame/frame-agent.ts";
import { readReport } from "../../frame/read-report.ts";
import type { Stage } from "../../stage/stage.ts";
import { audit } from "./audit.ts";
import { countColours, type Look, lookAtView } from "./look.ts";
import { lookAtWords } from "./look-words.ts";
import type { Picture } from "./picture.ts";
import type { RenderStage } from "./plan.ts";
import { PRESSED } from "./press-buttons.ts";
import { type CallData, dataOf, planOf, type Run, type Step, stepsOf } from "./runs.ts";
import { settle } from "./settle.ts";
import type { Sighting } from "./sighting.ts";
import { MARK, type WatchReport } from "./watch-script.ts";

declare const window: { renderStage?: RenderStage };
declare const renderStage: RenderStage;

// The state this long after the last step is what a user sees.
const QUIET = 350;
const LONGEST_REST = 2_500;
const MOST_REPORTS = 1_000;
const MOST_HOSTS = 100;

/** The view to show, where to show it, and how long it may take. */
export interface ShowingOptions {
  run: Run;
  call: CallData;
  stage: Stage;
  patience: number;
  /** Called with a picture of each state. */
  onPicture?: ((picture: Picture) => void) | undefined;
  /** Presses the view's buttons, and tells after each whether no call of a tool was refused. */
  press(frame: Frame | undefined, onPressed: (isFair: boolean) => void): Promise<void>;
}

/** A view while it is shown. */
export class Showing {
  readonly #page: Page;
  readonly #options: ShowingOptions;
  readonly #reports: WatchReport[] = [];
  readonly #console: { text: string; line: number; column: number }[] = [];
  readonly #requested = new Set<string>();
  #failedRequests = 0;
  #before: Look | undefined;
  #lastMessageAt = Date.now();

  constructor(page: Page, options: ShowingOptions) {
    this.#page = page;
    this.#options = options;
    page.on("console", (message) => this.#onConsole(message));
    page.on("request", (request) => this.#onRequest(request.url()));
    page.on("requestfailed", () => this.#failedRequests++);
    page.on("websocket", (socket) => this.#onRequest(socket.url()));
  }

  async play(): Promise<Sighting> {
    const { run, call, stage, patience, onPicture } = this.#options;
    const page = this.#page;
    // A query would make it another page; the fragment belongs to the stage.
    await page.goto(stage.url, { waitUntil: "domcontentloaded" });
    await page.waitForFunction(() => window.renderStage !== undefined);
    const plan = planOf(run, call, { document: patience, initialize: patience });
    await page.evaluate((plan) => renderStage.open(plan), plan);
    const began = Date.now();
    const isInitialized = await this.#initialized(patience * 2 + 5_000);
    const elapsed = Date.now() - began;
    if (isInitialized) {
      for (const step of stepsOf(run).later) await this.#take(step);
      await this.#rest();
    }
    const frame = this.#viewFrame();
    // A view that draws a lot on a slow machine is late, not without end.
    const longest = Math.max(5_000, patience);
    const look = isInitialized ? await settle(frame?.evaluate(lookAtView), longest) : undefined;
    const words =
      look && run.name === "narrow" ? await settle(frame?.evaluate(lookAtWords), 5_000) : undefined;
    // The screenshot is the slowest part, and the document shows most of it.
    const isDoubtful = run.isAudited || !look?.text || onPicture !== undefined;
    const colours = look && isDoubtful ? await this.#colours(frame) : undefined;
    const isBusy =
      !look &&
      frame &&
      (await settle(
        frame.evaluate(() => 1),
        2_000,
      )) === undefined;
    const axe = run.isAudited && look ? await audit(frame) : [];
    const events = await page.evaluate(() => renderStage.events());
    const reached = await page.evaluate(() => renderStage.stage());
    if (look && run.name === "normal") await this.#press(frame);
    return {
      run: run.name,
      stage: reached,
      isInitialized,
      elapsed,
      events,
      reports: this.#reports,
      console: this.#console,
      look,
      before: this.#before,
      words,
      requested: [...this.#requested],
      colours,
      axe,
      ...(isBusy && { problem: "busy" as const }),
    };
  }

  /** Presses its buttons; of the reports that follow only errors of the view itself stay. */
  async #press(frame: Frame | undefined): Promise<void> {
    let before = this.#reports.length;
    let failed = this.#failedRequests;
    const logged = this.#console.length;
    await this.#options.press(frame, (isFair) => {
      const since = this.#reports.splice(before);
      // After a refused call or without a network, an error may not be the view's own fault.
      const isOwn = isFair && failed === this.#failedRequests;
      const own = since.filter(
        (report) => isOwn && report.kind === "error" && !report.message.includes(PRESSED),
      );
      failed = this.#failedRequests;
      this.#reports.push(...own);
      before = this.#reports.length;
    });
    this.#reports.splice(before);
    // A view logs our refusals too.
    this.#console.splice(logged);
  }

  /** Waits for the end of the handshake, or for the host to give up. */
  async #initialized(longest: number): Promise<boolean> {
    const outcome = await this.#page
      .waitForFunction(
        () => {
          const events = renderStage.events();
          if (events.some((event) => event.kind === "stage" && event.stage === "initialized")) {
            return "initialized";
          }
          const isOver = events.some(
            (event) => event.kind === "diagnostic" && event.level === "error",
          );
          return isOver && "over";
        },
        undefined,
        { timeout: longest, polling: 100 },
      )
      .then((handle) => handle.jsonValue())
      .catch(() => "over");
    return outcome === "initialized";
  }

  async #take(step: Step): Promise<void> {
    const data = dataOf(step, this.#options.call);
    this.#lastMessageAt = Date.now();
    if (step.do === "wait") await this.#page.waitForTimeout(step.ms);
    else if (step.do === "look") {
      const frame = this.#viewFrame();
      this.#before = await settle(frame?.evaluate(lookAtView), 5_000);
      if (this.#options.onPicture)
        await this.#picture(frame, { state: "waiting", title: "waiting" });
    } else if (step.do === "tell")
      await this.#page.evaluate((data) => renderStage.tell(data), data);
    else {
      await this.#page.evaluate(
        (result) => renderStage.send("ui/notifications/tool-result", result),
        data.result,
      );
    }
  }

  /** Waits until nothing has happened for a while. */
  async #rest(): Promise<void> {
    const until = Date.now() + LONGEST_REST;
    let count = -1;
    while (Date.now() < until && Date.now() - this.#lastMessageAt < QUIET) {
      await this.#page.waitForTimeout(100);
      const now = await this.#page.evaluate(() => renderStage.events().length);
      if (now !== count) this.#lastMessageAt = Date.now();
      count = now;
    }
  }

  /** The view's own frame: the innermost, inside the page and the relay. */
  #viewFrame(): Frame | undefined {
    return this.#page
      .frames()
      .find((frame) => frame.parentFrame()?.parentFrame() === this.#page.mainFrame());
  }

  /** A screenshot of the frame; a frame without height has none. */
  async #picture(
    frame: Frame | undefined,
    names: Pick<Picture, "state" | "title">,
  ): Promise<Buffer | undefined> {
    const { run, call, onPicture } = this.#options;
    const element = frame && (await frame.frameElement().catch(() => undefined));
    const png = await settle(
      element?.screenshot({ animations: "disabled", timeout: 4_000 }),
      5_000,
    );
    if (png) onPicture?.({ tool: String(call.tool.name), width: run.width, png, ...names });
    return png;
  }

  async #colours(frame: Frame | undefined): Promise<number | undefined> {
    const { name: state, title } = this.#options.run;
    const picture = await this.#picture(frame, { state, title });
    if (!picture) return undefined;
    return settle(this.#page.evaluate(countColours, picture.toString("base64")), 3_000);
  }

  #onRequest(address: string): void {
    const host = URL.parse(address)?.hostname ?? "";
    if (host && !/(?:^|\.)localhost$/.test(host) && this.#requested.size < MOST_HOSTS)
      this.#requested.add(host);
  }

  #onConsole(message: ConsoleMessage): void {
    const text = message.text();
    this.#lastMessageAt = Date.now();
    if (text.startsWith(AGENT_MARK)) {
      const sent = readReport(text);
      if (sent && this.#reports.length < MOST_REPORTS) this.#reports.push(...watched(sent.report));
      return;
    }
    if (text.startsWith(MARK)) {
      try {
        this.#reports.push(JSON.parse(text.slice(MARK.length)));
      } catch {
        // The view can write there too.
      }
      return;
    }
    if (message.type() !== "error" || this.#console.length >= 50) return;
    const { lineNumber, columnNumber } = message.location();
    this.#console.push({
      text: text.slice(0, 500),
      line: lineNumber + 1,
      column: columnNumber + 1,
    });
  }
}

/** The agent's reports that matter here. */
function watched(report: AgentReport): WatchReport[] {
  if (report.kind === "violation" || report.kind === "unloaded") return [report];
  if (report.kind === "logged") return [{ ...report, kind: "error", source: "", isLogged: true }];
  if (report.kind !== "error" && report.kind !== "rejection") return [];
  return [{ ...report, kind: "error", source: report.source ?? "" }];
}
