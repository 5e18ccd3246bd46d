// A view in a page of a real browser, controlled by a test.

import type { ToolData } from "@vitrine/host";
import { METHOD_NOT_FOUND, RpcError } from "@vitrine/protocol";
import type {
  CallToolResult,
  McpUiMessageRequest,
  McpUiUpdateModelContextRequest,
} from "@vitrine/protocol/apps";
import type { Frame, Page } from "playwright-core";
import type { PageEvent, TestPage, UpstreamAnswer } from "../page/page-protocol.ts";
import { MountError } from "./mount-error.ts";
import type { MountableView, MountHost, MountOptions } from "./mount-options.ts";
import { testStage } from "./test-stage.ts";
import { answerTools, type ToolAnswers, type ToolCall, unanswered } from "./tool-answers.ts";
import { readView, type ViewContent } from "./view-content.ts";

/** A message that the view added to the conversation. */
export type ViewMessage = McpUiMessageRequest["params"];

/** The context that the view gave to the model. */
export type ViewContext = McpUiUpdateModelContextRequest["params"];

/** A view that is mounted for a test. */
export interface MountedView {
  /** The view's document, for locators: `frame.getByRole("button", { name: "Save" })`. */
  readonly frame: Frame;
  /** The page around it. */
  readonly page: Page;
  /** The tool calls that the view made, in order. */
  readonly calls: readonly ToolCall[];
  /** The messages that the view sent to the conversation, in order. */
  readonly messages: readonly ViewMessage[];
  /** The newest model context of the view. */
  readonly context: ViewContext | undefined;
  /** The addresses that the view asked the host to open, in order. They aren't opened. */
  readonly links: readonly string[];
  /** Errors that the view didn't catch, calls without an answer, and failures that the host reports. */
  readonly errors: readonly Error[];
  /** Delivers the tool's input, or a part of it that arrives before the whole. */
  sendInput(input: Record<string, unknown>, options?: { isPartial?: boolean }): Promise<void>;
  /** Delivers the tool's result. */
  sendResult(result: CallToolResult): Promise<void>;
  /** Cancels the tool call that the view waits for. */
  cancel(reason?: string): Promise<void>;
  /** Changes the host: the theme, locale, width or display mode. */
  setHost(host: MountHost): Promise<void>;
  /** Removes the view. Idempotent. */
  close(): Promise<void>;
}

declare const window: { vitrineTest: TestPage };

const PATIENCE = 15_000;
const AFTER_ERROR = 1_000;
const MOST_KEPT = 1_000;
// A page can have a function only once, so that it serves the page's current view.
const current = new WeakMap<Page, ViewMount>();

/** Mounts a view in a page. Resolves when the view has connected. */
export async function mountInPage(
  page: Page,
  view: MountableView,
  options: MountOptions = {},
): Promise<MountedView> {
  const [content, stage] = await Promise.all([readView(view, options), testStage()]);
  const isNew = !current.has(page);
  await current.get(page)?.close();
  const mount = new ViewMount(page, content, options);
  current.set(page, mount);
  if (isNew) {
    await page.exposeFunction("vitrineAsk", (method: string, params: never) =>
      current.get(page)?.ask(method, params),
    );
    await page.exposeFunction("vitrineEvent", (event: PageEvent) => current.get(page)?.take(event));
    page.on("pageerror", (error) => current.get(page)?.fail(error));
  }
  await page.goto(stage.url);
  await page.waitForFunction(() => window.vitrineTest !== undefined);
  await mount.open(stage.entrance);
  return mount;
}

class ViewMount implements MountedView {
  readonly page: Page;
  readonly calls: ToolCall[] = [];
  readonly messages: ViewMessage[] = [];
  readonly links: string[] = [];
  readonly errors: Error[] = [];
  context: ViewContext | undefined;
  readonly #content: ViewContent;
  readonly #options: MountOptions;
  readonly #answers: ToolAnswers;
  readonly #connected = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(page: Page, content: ViewContent, options: MountOptions) {
    this.page = page;
    this.#content = content;
    this.#options = options;
    this.#answers = answerTools(options.tools ?? {}, (error) => this.fail(error));
    // It may reject before anybody waits for it.
    this.#connected.promise.catch(() => {});
  }

  get frame(): Frame {
    // The relay's frame is in the page, and the view's in the relay's.
    const frames = this.page.frames();
    const frame = frames.find((one) => one.parentFrame()?.parentFrame() === this.page.mainFrame());
    if (!frame) throw new MountError("closed", "The view has no document. Mount it again.");
    return frame;
  }

  async open(entrance: string): Promise<void> {
    const { input, partialInputs = [], result, cancelled, host = {}, timeout } = this.#options;
    const time = timeout ?? PATIENCE;
    const data: ToolData[] = [
      ...partialInputs.map((partialInput) => ({ partialInput })),
      ...(input ? [{ input }] : []),
      ...(result ? [{ result }] : []),
      ...(cancelled === undefined ? [] : [{ cancelled }]),
    ];
    const plan = { entrance, tool: this.#content.tool, host, data, time };
    await this.page.evaluate((plan) => window.vitrineTest.open(plan as never), plan as never);
    const late = setTimeout(() => this.#giveUp("It didn't connect in time."), time * 2 + 5_000);
    try {
      await this.#connected.promise;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Answers a request of the host. */
  async ask(method: string, params: Partial<ToolCall> = {}): Promise<UpstreamAnswer> {
    try {
      return { result: await this.#answer(method, params) };
    } catch (error) {
      if (error instanceof RpcError) return { error: { code: error.code, message: error.message } };
      this.fail(error instanceof Error ? error : new Error(String(error)));
      return { error: { code: -32_603, message: "The test's answer failed." } };
    }
  }

  async #answer(method: string, params: Partial<ToolCall>): Promise<unknown> {
    if (method === "tools/list") return { tools: this.#content.tools };
    if (method === "resources/read") return this.#content.resource;
    if (method !== "tools/call") throw new RpcError(METHOD_NOT_FOUND, `${method} isn't answered.`);
    const call: ToolCall = { name: `${params.name}`, arguments: params.arguments ?? {} };
    keep(this.calls, call);
    return this.#answers.answer(call);
  }

  /** Takes an event of the page. */
  take(event: PageEvent): void {
    switch (event.kind) {
      case "stage":
        if (event.stage === "initialized" || event.stage === "shown") this.#connected.resolve();
        break;
      case "problem":
        if (event.level === "error") this.#problem(event);
        break;
      case "refused":
        // The host rejects a tool that the server doesn't have before it asks the server.
        if (!this.calls.some(({ name }) => name === event.tool)) this.fail(unanswered(event.tool));
        break;
      case "message":
        keep(this.messages, event.message);
        break;
      case "context":
        this.context = event.context ?? undefined;
        break;
      case "link":
        keep(this.links, event.url);
        break;
    }
  }

  #problem({ code, text }: Extract<PageEvent, { kind: "problem" }>): void {
    // The page's own event has the error itself. A view may connect all the same.
    if (code === "view-error") setTimeout(() => this.#giveUp(text), AFTER_ERROR).unref();
    else {
      this.fail(new MountError("not-connected", text));
      this.#giveUp(text);
    }
  }

  fail(error: Error): void {
    keep(this.errors, error);
  }

  #giveUp(reason: string): void {
    const cause = this.errors.find((error) => !(error instanceof MountError));
    const thrown = cause && !reason.includes(cause.message) ? ` It threw: ${cause.message}` : "";
    const words = `The view didn't connect. ${reason}${thrown}`;
    this.#connected.reject(new MountError("not-connected", words, { cause }));
  }

  sendInput(input: Record<string, unknown>, { isPartial = false } = {}): Promise<void> {
    return this.#tell(isPartial ? { partialInput: input } : { input });
  }

  sendResult(result: CallToolResult): Promise<void> {
    return this.#tell({ result });
  }

  cancel(reason = "The user stopped the call."): Promise<void> {
    return this.#tell({ cancelled: reason });
  }

  async #tell(data: ToolData): Promise<void> {
    this.#assertOpen();
    await this.page.evaluate((data) => window.vitrineTest.tell(data as never), data as never);
  }

  async setHost(host: MountHost): Promise<void> {
    this.#assertOpen();
    await this.page.evaluate((host) => window.vitrineTest.setHost(host), host);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.page.isClosed()) return;
    // The page may be on its way elsewhere.
    await this.page.evaluate(() => window.vitrineTest?.close()).catch(() => {});
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new MountError("closed", "This view is closed. Mount it again.");
  }
}

/** A view that sends without end must not fill the memory of the tests. */
function keep<T>(list: T[], item: T): void {
  if (list.length < MOST_KEPT) list.push(item);
}
