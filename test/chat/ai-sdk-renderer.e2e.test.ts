// The AI SDK's own renderer (`experimental_MCPAppRenderer`) with our sandbox: it implements the proxy
// protocol of the specification, so our entrance is all it needs. It sends a view's policy as text that it
// computed itself, which our sandbox doesn't take: such a view gets the strictest policy.

import { type HostStage, openHostPage, openHostStage } from "@vitrine/internal/host-stage";
import type { Frame, Page } from "playwright";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { buildViewPage } from "../../examples/chat-servers/src/view-page.ts";

let stage: HostStage;
let html: string;
let page: Page;
beforeAll(async () => {
  stage = await openHostStage();
  html = await buildViewPage();
});
afterEach(() => page?.close());
afterAll(() => stage?.close());

const PROGRAM = new URL("./ai-sdk-renderer-page.ts", import.meta.url);
const URI = "ui://trips/view.html";
const input = { destination: "Graz", days: 3, notes: "By train" };
const output = {
  content: [{ type: "text", text: "3 days in Graz cost 300 euros." }],
  structuredContent: { destination: "Graz", days: 3, price: 300 },
};

interface Shown {
  state?: "input-available" | "output-available";
  tools?: string[];
  meta?: object;
}

/** Shows the view of trips, or the same one in another state. */
async function show({ state = "output-available", tools = [], meta }: Shown = {}): Promise<void> {
  const part = {
    ...{ type: "dynamic-tool", toolName: "plan_trip", toolCallId: "call-1", state, input },
    ...(state === "output-available" && { output }),
    toolMetadata: { app: { resourceUri: URI, mimeType: "text/html;profile=mcp-app" } },
  };
  const resource = { uri: URI, mimeType: "text/html;profile=mcp-app", html, ...(meta && { meta }) };
  await page.evaluate((given) => window.showPart(given as never), {
    part,
    resource,
    sandbox: stage.entrance,
    tools,
  });
}

const asked = (): Promise<Window["asked"]> => page.evaluate(() => window.asked);

async function viewOf(): Promise<Frame> {
  return vi.waitFor(() => {
    const frame = page.frames().find((found) => found.url().includes("/v/"));
    if (!frame) throw new Error("The page doesn't show a view yet.");
    return frame;
  });
}

const text = async (id: string): Promise<string | null> =>
  (await viewOf()).locator(`#${id}`).textContent();

it("shows input and result", async () => {
  page = await openHostPage(stage, { program: PROGRAM });
  await show({ state: "input-available" });
  const view = await viewOf();
  await expect.poll(() => view.locator("#destination").inputValue()).toBe("Graz");
  expect(await text("result")).toBe("");
  await show();
  await expect.poll(() => text("result")).toBe("3 days in Graz cost 300 euros.");
});

it("calls the tools on the product's list, and no other", async () => {
  page = await openHostPage(stage, { program: PROGRAM });
  await show({ tools: ["book_trip"] });
  await expect.poll(() => text("status")).toBe("Ready");
  const view = await viewOf();
  await view.locator("#book").click();
  await expect.poll(() => text("status")).toBe("Booked");
  await view.locator("#forbidden").click();
  await expect.poll(() => text("status")).toContain("Failed");
  expect((await asked()).map(({ method }) => method)).toEqual(["tools/call"]);
});

it("passes on messages, model context and links", async () => {
  page = await openHostPage(stage, { program: PROGRAM });
  await show();
  await expect.poll(() => text("status")).toBe("Ready");
  const view = await viewOf();
  for (const [id, status] of [
    ["message", "Sent"],
    ["context", "The model knows"],
    ["link", "Opened"],
  ] as const) {
    await view.locator(`#${id}`).click();
    await expect.poll(() => text("status")).toBe(status);
  }
  expect((await asked()).map(({ method }) => method)).toEqual([
    "ui/message",
    "ui/update-model-context",
    "ui/open-link",
  ]);
});

it("gives a view its own origin and the strictest policy, whatever domains it declares", async () => {
  page = await openHostPage(stage, { program: PROGRAM });
  const policies: string[] = [];
  page.on("response", (response) => {
    if (response.url().includes("/v/")) {
      policies.push(response.headers()["content-security-policy"] ?? "");
    }
  });
  await show({ meta: { csp: { connectDomains: ["https://api.example.com"] } } });
  const view = await viewOf();
  await expect.poll(() => text("status")).toBe("Ready");
  expect(new URL(view.url()).origin).not.toBe(stage.hostOrigin);
  await expect.poll(() => policies.length).toBeGreaterThan(0);
  expect(policies.join()).toContain("connect-src data: blob:;");
  expect(policies.join()).not.toContain("api.example.com");
});
