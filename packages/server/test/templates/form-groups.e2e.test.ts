import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { form } from "../../src/templates/index.ts";
import { openTemplateStage, type TemplateStage } from "./template-stage.ts";

vi.setConfig({ hookTimeout: 60_000 });

let stage: TemplateStage;
beforeAll(async () => {
  stage = await openTemplateStage();
});
afterAll(() => stage.close());

const view = form({
  title: "New invoice",
  submitTool: "create_invoice",
  fields: [
    {
      name: "terms",
      type: "radio",
      label: "Terms of payment",
      required: true,
      options: [
        { value: 14, label: "14 days" },
        { value: 30, label: "30 days" },
      ],
    },
    { name: "scan", type: "file", accept: "text/plain", maxBytes: 2000, help: "A copy." },
    {
      name: "lines",
      type: "group",
      label: "Positions",
      itemLabel: "Position",
      required: true,
      fields: [
        { name: "what", label: "Item", required: true },
        { name: "count", type: "number", label: "Count", default: 1 },
      ],
    },
  ],
});

test("a form has radio buttons, files and groups that repeat", async () => {
  const shown = await stage.show(view, {
    result: {},
    tools: (server) =>
      server.registerTool("create_invoice", { inputSchema: z.looseObject({}) }, async () => ({
        content: [{ type: "text", text: "Invoice 7 was created." }],
      })),
  });
  const { frame, calls } = shown;
  const submit = frame.getByRole("button", { name: "Create invoice" });
  await submit.click();
  // Errors stand in place of help, and the first wrong field has the focus.
  expect(await frame.locator(".problem").count()).toBe(2);
  expect(
    await frame.getByRole("radio", { name: "14 days" }).evaluate((e) => e.matches(":focus")),
  ).toBe(true);
  await frame.getByText("Add at least 1.").waitFor();
  await frame.getByRole("radio", { name: "30 days" }).check();
  const file = (size: number) => ({
    name: "scan.txt",
    mimeType: "text/plain",
    buffer: Buffer.alloc(size, "a"),
  });
  await frame.getByLabel("Scan").setInputFiles(file(5000));
  await frame.getByText("This file has 5 KB; the limit is 2 KB.").waitFor();
  await frame.getByLabel("Scan").setInputFiles(file(3));
  const add = frame.getByRole("button", { name: "Add Position" });
  for (const item of ["Tea", "Milk", "Coffee"]) {
    await add.click();
    await frame.getByLabel("Item").last().fill(item);
  }
  expect(await shown.violations()).toEqual([]);
  await shown.shoot("form-groups", [900, 360]);
  await frame.getByRole("button", { name: "Remove Position 2" }).click();
  await frame.getByRole("button", { name: "Move Position 2 up" }).click();
  await frame.getByLabel("Item").last().fill("");
  await submit.click();
  expect(await frame.locator(".problem").count()).toBe(1);
  await frame.getByLabel("Item").last().fill("Green tea");
  await submit.click();
  await frame.getByText("Invoice 7 was created.").waitFor();
  expect(calls).toEqual([
    {
      name: "create_invoice",
      arguments: {
        terms: 30,
        scan: { name: "scan.txt", type: "text/plain", size: 3, data: "YWFh" },
        lines: [
          { what: "Coffee", count: 1 },
          { what: "Green tea", count: 1 },
        ],
      },
    },
  ]);
  expect(shown.errors).toEqual([]);
});
