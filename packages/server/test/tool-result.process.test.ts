import { registerAppTool, type ServerWarning } from "@vitrine/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { collected, SERVERS } from "./in-memory.ts";

const schema = z.object({ total: z.number().meta({ title: "Sum" }), items: z.array(z.string()) });
const data = { total: 7, items: ["pear", "plum"] };
const textOf = (text: string) => [{ type: "text", text }];

async function call(
  { connect }: (typeof SERVERS)[number],
  result: unknown,
  config: object = {},
): Promise<{ result: Record<string, unknown>; warnings: ServerWarning[] }> {
  const { warnings, warn } = collected();
  const client = await connect((server) => {
    registerAppTool(server, "sum", { ...config, _meta: {} }, (() => result) as never, { warn });
  });
  const answered = await client.callTool({ name: "sum" });
  await client.close();
  return { result: answered as Record<string, unknown>, warnings };
}

describe.each(SERVERS)("$title", (server) => {
  test("each audience has its field (SRV-19)", async () => {
    const told = { text: "Seven: pear, plum", data, private: { secret: 1 } };
    const { result, warnings } = await call(server, told);
    expect(result.content).toEqual(textOf("Seven: pear, plum"));
    expect(result.structuredContent).toEqual(data);
    expect(result._meta).toMatchObject({ secret: 1 });
    expect(JSON.stringify(result.content)).not.toContain("secret");
    expect(warnings).toEqual([]);
  });

  test("text is made of the data and its schema where there is none (SRV-12, SRV-13)", async () => {
    const { result, warnings } = await call(
      server,
      { data },
      { title: "Cart", outputSchema: schema },
    );
    expect(result.content).toEqual(textOf("# Cart\n- Sum: 7\n\n## Items\n- pear\n- plum"));
    expect(warnings).toEqual([]);
  });

  test.each([{ content: [] }, { content: textOf(" ") }, {}])(
    "an official result with %j is filled too (SRV-13)",
    async (content) => {
      const { result } = await call(server, { ...content, structuredContent: data });
      expect(result.content).toEqual(textOf("- Total: 7\n\n## Items\n- pear\n- plum"));
    },
  );

  test("an empty result gets a text, and a warning (SRV-13)", async () => {
    for (const empty of [{}, { private: { rows: [1] } }, undefined]) {
      const { result, warnings } = await call(server, empty);
      expect(result.content).toEqual(textOf("sum: done. There is nothing to report."));
      expect(warnings.map(({ code }) => code)).toEqual(["result-empty"]);
    }
  });

  test("a failure without a reason gets a text", async () => {
    const { result } = await call(server, { isError: true });
    expect(result).toMatchObject({
      isError: true,
      content: textOf("sum failed and gave no reason."),
    });
  });

  test("a failure needs no data, and its text is not judged", async () => {
    const { result, warnings } = await call(
      server,
      { isError: true, text: "See the view" },
      { outputSchema: schema },
    );
    expect(result).toMatchObject({ isError: true, content: textOf("See the view") });
    expect(warnings).toEqual([]);
  });
});

const [server] = SERVERS as [(typeof SERVERS)[number]];

describe("development is warned of a result that is useless without its View (SRV-12)", () => {
  test.each([
    "Done",
    "ok.",
    "See the view above",
    "Rendered the widget",
    "Showing the dashboard in the app",
    "Cart [object Object]",
    "Here are your results",
  ])("%j", async (text) => {
    const { warnings } = await call(server, { text, data });
    expect(warnings).toEqual([
      { code: "result-useless", about: "sum", message: expect.stringContaining("Leave text out") },
    ]);
  });

  test.each([
    ["names a value", { text: "The sum is 7", data }],
    ["names one in other letters", { text: "PEAR and more", data }],
    ["counts what was found", { text: "2 found", data: { items: [{ a: "xx" }, { a: "yy" }] } }],
    ["has no data to name", { text: "Done" }],
    ["has data without values", { text: "Cart is empty", data: { items: {} } }],
    ["is long", { text: "An explanation of ".repeat(20), data }],
    ["is an image", { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }],
  ])("but not where the text %s", async (_what, result) => {
    expect((await call(server, result)).warnings).toEqual([]);
  });
});

describe("a tool's own words for its data", () => {
  test("take the place of the general ones, unless they say nothing or fail", async () => {
    const { connect } = server;
    const client = await connect((mcp) => {
      const add = (name: string, describe: (data: unknown) => string): void => {
        registerAppTool(mcp, name, { _meta: {} }, () => ({ data }), { describe });
      };
      add("own", (given) => `${(given as typeof data).total} in all`);
      add("blank", () => " ");
      add("broken", (given) => (given as { rows: string[] }).rows.join());
    });
    const own = await client.callTool({ name: "own" });
    expect(own.content).toEqual(textOf("7 in all"));
    for (const name of ["blank", "broken"]) {
      const { content } = await client.callTool({ name });
      expect(content).toEqual(textOf("- Total: 7\n\n## Items\n- pear\n- plum"));
    }
  });
});

describe("a request for input first", () => {
  test("passes as it is", async () => {
    const asked = { resultType: "input_required", requestState: "abc" };
    const { connect } = server;
    const client = await connect((mcp) => {
      registerAppTool(mcp, "ask", { _meta: {} }, (() => asked) as never);
    });
    const raw = client as unknown as {
      callTool(params: object, options: object): Promise<unknown>;
    };
    await expect(
      raw.callTool({ name: "ask" }, { allowInputRequired: true }),
    ).resolves.toMatchObject(asked);
  });
});
