import { mountView } from "@vitrine/testing/vitest";
import { expect, test } from "vitest";
import stories from "../views/expenses/expenses.stories.ts";

const view = new URL("../dist/ui/expenses/index.html", import.meta.url);
const story = (name: string) => {
  const found = stories.stories.find((one) => one.name === name);
  if (!found) throw new Error(`There is no story "${name}".`);
  return found;
};

test("approves an expense with a private tool", async () => {
  const { frame, calls, errors } = await mountView(view, story("Full"));
  await frame.getByRole("button", { name: "Approve Team lunch" }).click();
  await frame.getByText("✓ Approved").waitFor();
  expect(calls).toEqual([{ name: "set-status", arguments: { id: "3", status: "approved" } }]);
  expect(errors).toEqual([]);
});

test("tells the model which expenses the user sees", async () => {
  const mounted = await mountView(view, story("Full"));
  await mounted.frame.getByRole("button", { name: "To approve" }).click();
  await expect.poll(() => JSON.stringify(mounted.context)).toContain("filter: To approve");
});

test("fills in the form while the model writes, and saves what the user confirms", async () => {
  const { input = {}, result = { content: [] } } = story("Form");
  const mounted = await mountView(view, story("Form while the model writes"));
  const { frame, calls } = mounted;
  const title = frame.getByLabel("Purchase");
  await expect.poll(() => title.inputValue()).toBe("Taxi to the airport");
  expect(await title.isDisabled()).toBe(true);
  await mounted.sendInput(input);
  await mounted.sendResult(result);
  await title.fill("Taxi to the station");
  await frame.getByRole("button", { name: "Save expense" }).click();
  await frame.getByRole("heading", { name: "November 2026" }).waitFor();
  expect(calls[0]?.arguments).toMatchObject({ title: "Taxi to the station", amount: 38.2 });
});

test("shows why it failed, and a way out", async () => {
  const { frame, calls } = await mountView(view, story("Failed"));
  await frame.getByText("Not available.").waitFor();
  await frame.getByRole("button", { name: "Show this month" }).click();
  await frame.getByText("No expenses in this month yet.").waitFor();
  expect(calls).toEqual([{ name: "list-month", arguments: { month: "2026-11" } }]);
});
