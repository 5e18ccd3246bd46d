import type { McpServer } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { fieldsFrom, form } from "../../src/templates/index.ts";
import { SIGN_UP } from "./sample-data.ts";
import { openTemplateStage, type Shown, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const INVITE = z.object({
  team: z.string(),
  name: z.string(),
  email: z.string(),
  secret: z.string().optional(),
  seats: z.number(),
  role: z.union([z.string(), z.number()]),
  starts: z.string().optional(),
  note: z.string().optional(),
  newsletter: z.boolean(),
});

/** A real tool that takes what the form sends. */
function invite(server: McpServer, answer = "We will write to Grace."): void {
  server.registerTool("invite", { inputSchema: INVITE }, async () => ({
    content: [{ type: "text", text: answer }],
  }));
}

const focused = (shown: Shown): Promise<string> =>
  shown.frame.evaluate(() => {
    const { activeElement } = document;
    const label = activeElement?.id && document.querySelector(`[for="${activeElement.id}"]`);
    return (label || activeElement)?.textContent ?? "";
  });

/** The description of a field for a screen reader, without its label. */
const described = (shown: Shown, label: RegExp): Promise<string> =>
  shown.frame.getByLabel(label).evaluate((control) => {
    const ids = control.getAttribute("aria-describedby")?.split(" ") ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent ?? "missing").join(" | ");
  });

test("a form is filled in and submitted with the keyboard alone, and the tool gets typed values", async () => {
  const shown = await stage.show(form(SIGN_UP), { input: {}, tools: (server) => invite(server) });
  const { keyboard } = shown.page;
  await shown.frame.getByLabel(/Full name/).focus();
  const order: string[] = [];
  const entries = ["Grace Hopper", "grace@example.com", "s3cret", "", "Ed", "", "Welcome!", " "];
  for (const text of entries) {
    order.push(await focused(shown));
    if (text === " ") await keyboard.press("Space");
    else await keyboard.type(text);
    await keyboard.press("Tab");
    // A date is three fields and a button.
    while ((await focused(shown)) === order.at(-1)) await keyboard.press("Tab");
  }
  expect(order).toEqual([
    "Full name *",
    "E-mail *",
    "Passphrase",
    "Seats",
    "Role *",
    "First day",
    "Personal note",
    "Send them the newsletter",
  ]);
  await keyboard.press("Enter");
  await shown.frame.getByText("Invitation sent").waitFor();
  expect(await shown.text()).toContain("We will write to Grace.");
  expect(shown.calls).toEqual([
    {
      name: "invite",
      arguments: {
        team: "compilers",
        name: "Grace Hopper",
        email: "grace@example.com",
        secret: "s3cret",
        seats: 1,
        role: 2,
        note: "Welcome!",
        newsletter: false,
      },
    },
  ]);
  expect(await focused(shown)).toBe("Submit again");
  expect(await shown.violations()).toEqual([]);
  const told = await shown.page.evaluate(() => JSON.stringify(window.stage.modelContext()));
  expect(told).toContain("We will write to Grace.");
  expect(told).not.toContain("s3cret");
});

test("an invalid field shows a linked error message, and nothing is sent", async () => {
  const view = form({
    ...SIGN_UP,
    fields: [
      ...(SIGN_UP.fields ?? []),
      {
        name: "code",
        label: "Code",
        pattern: "[A-Z]{3}",
        patternMessage: "Three capital letters.",
      },
      { name: "poem", type: "textarea", label: "Poem", minLength: 10, default: "short" },
    ],
  });
  const shown = await stage.show(view, { input: {}, tools: (server) => invite(server) });
  const { frame } = shown;
  await frame.getByLabel("E-mail").fill("nobody");
  await frame.getByLabel("Seats").fill("50");
  await frame.getByLabel("First day").fill("2025-12-31");
  await frame.getByLabel("Code").fill("ab");
  await frame.getByRole("button", { name: "Send invitation" }).click();
  expect(await focused(shown)).toBe("Full name *");
  expect(await described(shown, /Full name/)).toMatch(/fill out/);
  expect(await described(shown, /E-mail/)).toMatch(/'@'/);
  expect(await described(shown, /Seats/)).toMatch(/less than or equal to 20/);
  expect(await described(shown, /Role/)).toMatch(/select an item/);
  expect(await described(shown, /First day/)).toMatch(/01\/01\/2026 or later/);
  expect(await described(shown, /Code/)).toBe("Three capital letters.");
  expect(await described(shown, /Poem/)).toBe("At least 10 characters.");
  expect(await described(shown, /Passphrase/)).toBe("They are asked for it once.");
  expect(await frame.locator("[aria-invalid=true]").count()).toBe(7);
  expect(await frame.locator("[role=status]").allTextContents()).toContain(
    "Fields that need attention: 7",
  );
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("form-invalid-light", [900, 360]);
  await shown.setTheme("dark");
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("form-invalid-dark", [360]);
  await frame.getByLabel("E-mail").fill("a@b.example");
  await expect.poll(() => described(shown, /E-mail/)).toBe("");
  expect(shown.calls).toEqual([]);
});

describe("a tool that does not take the values", () => {
  const fields = [{ name: "city", default: "Atlantis" }];

  test("shows its reason, keeps the typed values, and can be called again", async () => {
    const view = form({ fields, submitTool: "weather" });
    const shown = await stage.show(view, {
      input: {},
      tools: (server) => {
        server.registerTool(
          "weather",
          { inputSchema: z.object({ city: z.string() }) },
          async ({ city }) =>
            city === "Graz"
              ? { content: [{ type: "text", text: "Sunny." }] }
              : { isError: true, content: [{ type: "text", text: `No weather in ${city}.` }] },
        );
      },
    });
    await shown.frame.locator("button[type=submit]").click();
    const alert = shown.frame.getByRole("alert");
    await expect.poll(() => alert.textContent()).toMatch(/could not be submittedNo weather in/);
    expect(await shown.frame.getByLabel("City").inputValue()).toBe("Atlantis");
    expect(await shown.violations()).toEqual([]);
    await shown.shoot("form-failed-light", [360]);
    await shown.frame.getByLabel("City").fill("Graz");
    await shown.frame.getByLabel("City").press("Enter");
    await shown.frame.getByText("Sunny.").waitFor();
    await shown.shoot("form-submitted-light", [360]);
    await shown.frame.getByRole("button", { name: "Submit again" }).click();
    expect(await shown.frame.getByLabel("City").inputValue()).toBe("Graz");
  });

  test("because it is not there is a failure like any other", async () => {
    const shown = await stage.show(form({ fields, submitTool: "gone" }), { input: {} });
    await shown.frame.locator("button[type=submit]").click();
    await expect.poll(() => shown.frame.getByRole("alert").textContent()).toMatch(/gone/);
  });
});

test("a second press while the first is under way sends nothing", async () => {
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const view = form({ fields: [{ name: "city", default: "Graz" }], submitTool: "slow" });
  const shown = await stage.show(view, {
    input: {},
    tools: (server) => {
      server.registerTool("slow", { inputSchema: z.object({ city: z.string() }) }, async () => {
        await gate;
        return { content: [] };
      });
    },
  });
  await shown.frame.locator("button[type=submit]").click();
  const pending = shown.frame.getByRole("button", { name: "Submitting…" });
  await pending.waitFor();
  expect(await pending.getAttribute("aria-disabled")).toBe("true");
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("form-pending-light", [360]);
  await pending.click({ force: true });
  await shown.frame.getByLabel("City").press("Enter");
  release();
  await shown.frame.getByText("Submitted").waitFor();
  expect(shown.calls).toHaveLength(1);
});

test("arguments fill the form while the model writes them, and never what somebody typed", async () => {
  const view = form({
    fields: [{ name: "city" }, { name: "days", type: "number" }, { name: "note", default: "none" }],
    submitTool: "weather",
  });
  const shown = await stage.show(view, {
    partialInput: { city: "Gr" },
    tools: (server) => {
      const inputSchema = z.object({ city: z.string(), days: z.number(), note: z.string() });
      server.registerTool("weather", { inputSchema }, async () => ({ content: [] }));
    },
  });
  const { frame } = shown;
  await expect.poll(() => frame.getByLabel("City").inputValue()).toBe("Gr");
  await shown.tell({ partialInput: { city: "Graz", days: 2 } });
  await expect.poll(() => frame.getByLabel("City").inputValue()).toBe("Graz");
  await frame.getByLabel("Days").fill("7");
  await frame.getByLabel("City").press("Enter");
  expect(shown.calls).toEqual([]);
  await shown.tell({ input: { city: "Graz West", days: 3 } });
  await expect.poll(() => frame.getByLabel("City").inputValue()).toBe("Graz West");
  expect(await frame.getByLabel("Days").inputValue()).toBe("7");
  await shown.tell({ result: { structuredContent: { values: { note: "from the result" } } } });
  await expect.poll(() => frame.getByLabel("Note").inputValue()).toBe("from the result");
  await frame.getByLabel("City").press("Enter");
  await expect
    .poll(() => shown.calls)
    .toEqual([
      { name: "weather", arguments: { city: "Graz West", days: 7, note: "from the result" } },
    ]);
});

describe("the button to give up", () => {
  const fields = [{ name: "city" }];

  test("is there when asked for, tells the model, and can be taken back", async () => {
    const shown = await stage.show(form({ title: "Trip", fields, cancelable: true }), {
      input: {},
    });
    await shown.frame.getByLabel("City").fill("Graz");
    await shown.frame.getByRole("button", { name: "Cancel" }).click();
    await shown.frame.getByText("Not submitted").waitFor();
    expect(await focused(shown)).toBe("Open again");
    await expect
      .poll(() => shown.page.evaluate(() => JSON.stringify(window.stage.modelContext())))
      .toContain("gave up");
    await shown.page.keyboard.press("Enter");
    expect(await shown.frame.getByLabel("City").inputValue()).toBe("Graz");
  });

  test.each([false, undefined])("is not there for %s", async (cancelable) => {
    const config = cancelable === undefined ? { fields } : { fields, cancelable };
    const shown = await stage.show(form(config), { input: {} });
    expect(await shown.frame.getByRole("button").allTextContents()).toEqual(["Submit"]);
  });
});

test("without a tool the values are said in the conversation, secrets left out", async () => {
  const fields = [{ name: "city" }, { name: "pin", type: "password" as const }];
  const shown = await stage.show(form({ title: "Trip", fields }), { input: {} });
  await shown.frame.getByLabel("City").fill("Graz");
  await shown.frame.getByLabel("Pin").fill("1234");
  await shown.frame.getByLabel("City").press("Enter");
  await shown.frame.getByText("Submitted").waitFor();
  expect(await shown.page.evaluate(() => window.stage.messages)).toEqual([
    [{ type: "text", text: 'Trip: {"city":"Graz"}' }],
  ]);
});

test("fields made of a tool's schema are filled in and taken by that tool", async () => {
  const schema = z.object({
    city: z.string().min(2).describe("Where to"),
    days: z.int().min(1).max(14).default(3),
    class: z.enum(["first", "second"]),
    level: z.literal([1, 2, 3]),
    when: z.iso.date(),
    tags: z.array(z.string()).optional(),
    extra: z.object({ pets: z.number() }).optional(),
    insured: z.boolean(),
  });
  const taken: unknown[] = [];
  const fields = fieldsFrom(z.toJSONSchema(schema, { io: "input" }));
  const shown = await stage.show(form({ fields, submitTool: "book" }), {
    input: {},
    tools: (server) => {
      server.registerTool("book", { inputSchema: schema }, async (given) => {
        taken.push(given);
        return { content: [] };
      });
    },
  });
  const { frame } = shown;
  await frame.getByLabel("City").fill("Graz");
  await frame.getByLabel("Class").selectOption("second");
  await frame.getByLabel("Level").selectOption("2");
  await frame.getByLabel("When").fill("2026-08-01");
  await frame.getByLabel("Tags").fill("sea\n\nsun");
  await frame.getByLabel("Extra").fill('{"pets": 1');
  await frame.locator("button[type=submit]").click();
  expect(await described(shown, /Extra/)).toMatch(/not valid JSON/);
  expect(await described(shown, /City/)).toBe("Where to");
  await frame.getByLabel("Extra").fill('{"pets": 1}');
  await frame.locator("button[type=submit]").click();
  await frame.getByText("Submitted").waitFor();
  expect(taken).toEqual([
    {
      city: "Graz",
      days: 3,
      class: "second",
      level: 2,
      when: "2026-08-01",
      tags: ["sea", "sun"],
      extra: { pets: 1 },
      insured: false,
    },
  ]);
});
