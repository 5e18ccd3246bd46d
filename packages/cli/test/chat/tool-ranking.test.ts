import { expect, test } from "vitest";
import { rankTools } from "../../src/chat/local-model/tool-ranking.ts";

const tool = (name: string, description: string) => ({ name, description, parameters: {} });
const TOOLS = [
  tool("trips__plan_trip", "Plans a trip and shows it in a form."),
  tool("trips__book_trip", "Books a trip. It costs money."),
  tool("weather__get_weather", "Returns the weather of a city for some days."),
  tool("clock__get_time", "Returns the current time in a time zone."),
];
const names = (message: string) => rankTools(message, TOOLS, 3).map(({ name }) => name);

test("finds the tool whose name and description have the words of the message", () => {
  expect(names("What's the weather in Vienna?")).toEqual(["weather__get_weather"]);
  expect(names("Planning trips to Lisbon")[0]).toBe("trips__plan_trip");
  expect(names("What time is it?")[0]).toBe("clock__get_time");
});

test("finds none for a message about something else", () => {
  expect(names("Tell me a joke about cats.")).toEqual([]);
  expect(names("")).toEqual([]);
});

test("reads the beginning of a long message only", () => {
  const begun = performance.now();
  expect(names(`${"x ".repeat(1_000_000)} weather`)).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(1_000);
});
