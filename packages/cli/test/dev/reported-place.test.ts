import { expect, test } from "vitest";
import { type ReportedPlace, withPromptReports } from "../../src/stage/prompt-reports.ts";

/** Sends a report. Returns the reported locations and the request that reached the sandbox. */
async function send(
  body: string,
  { path = "/r/abc", length = body.length }: { path?: string; length?: number } = {},
): Promise<{ places: ReportedPlace[]; passed: string; type: string | null }> {
  const places: ReportedPlace[] = [];
  let passed = "";
  let type: string | null = null;
  const sandbox = {
    fetch: async (request: Request) => {
      passed = await request.text();
      type = request.headers.get("content-type");
      return new Response(null, { status: 204 });
    },
  };
  const headers = { "content-type": "application/csp-report", "content-length": `${length}` };
  const request = new Request(`http://x.localhost${path}`, { method: "POST", headers, body });
  const response = await withPromptReports(sandbox, (place) => places.push(place)).fetch(request);
  expect(response.status).toBe(204);
  return { places, passed, type };
}

const report = (fields: object): string => JSON.stringify({ "csp-report": fields });
const EVAL = report({ "blocked-uri": "eval", "line-number": 3, "column-number": 40 });

test("reports the location of a violation, and passes the report on unchanged", async () => {
  const { places, passed, type } = await send(EVAL);
  expect(places).toEqual([{ viewId: "abc", blocked: "eval", line: 3, column: 40 }]);
  expect(passed).toBe(EVAL);
  expect(type).toBe("application/csp-report");
});

test.each([
  ["no JSON", "{"],
  ["no report", "null"],
  ["no place", report({ "blocked-uri": "eval" })],
  ["an invalid place", report({ "blocked-uri": "eval", "line-number": "3" })],
])("passes on a report with %s without reporting a location", async (_, body) => {
  const { places, passed } = await send(body);
  expect(places).toEqual([]);
  expect(passed).toBe(body);
});

test("doesn't parse requests that aren't reports or are too long", async () => {
  expect((await send(EVAL, { path: "/elsewhere" })).places).toEqual([]);
  expect((await send(EVAL, { length: 70_000 })).places).toEqual([]);
});
