import { turn } from "@vitrine/internal/scripted-host";
import { App, type StandardSchemaV1 } from "@vitrine/view";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { connectApp } from "./connect-app.ts";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const LIST_CHANGED = "notifications/tools/list_changed";

describe("the tools capability", () => {
  test("is declared by registering a tool before connect (VEW-17, VEW-18)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => void app.registerTool("move", {}, () => text("ok")),
      },
    );
    expect(host.last("ui/initialize")?.params).toMatchObject({
      appCapabilities: { tools: { listChanged: true } },
    });
    expect(await host.request("tools/list")).toMatchObject({
      result: { tools: [{ name: "move" }] },
    });
    expect(await host.request("tools/call", { name: "move" })).toMatchObject({
      result: text("ok"),
    });
  });

  test("is left as the author declared it", async () => {
    const { host } = await connectApp(
      {},
      {
        capabilities: { tools: { listChanged: false } },
        prepare: (app) => void app.registerTool("move", {}, () => text("ok")),
      },
    );
    expect(host.last("ui/initialize")?.params).toMatchObject({
      appCapabilities: { tools: { listChanged: false } },
    });
  });

  test("is declared by oncalltool too, which then answers (VEW-17)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.oncalltool = async ({ name }, { mcpReq }) => text(`${name} as ${mcpReq.method}`);
          app.onlisttools = async () => ({ tools: [] });
        },
      },
    );
    expect(host.last("ui/initialize")?.params).toMatchObject({ appCapabilities: { tools: {} } });
    expect(await host.request("tools/call", { name: "x" })).toMatchObject({
      result: text("x as tools/call"),
    });
    expect(await host.request("tools/list")).toMatchObject({ result: { tools: [] } });
  });

  test("is not declared by a View without tools", async () => {
    const { host } = await connectApp();
    expect(host.last("ui/initialize")?.params?.appCapabilities).not.toHaveProperty("tools");
  });
});

describe("a registered tool", () => {
  test("is listed with everything the Host needs, schemas as JSON Schema (VEW-21)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool(
            "move",
            {
              title: "Move",
              description: "Moves a piece",
              inputSchema: z.object({ to: z.string() }),
              outputSchema: z.object({ moved: z.boolean() }),
              annotations: { readOnlyHint: false },
              _meta: { "x/y": 1 },
            },
            () => ({ content: [], structuredContent: { moved: true } }),
          );
        },
      },
    );
    const { result } = await host.request("tools/list");
    expect(result).toMatchObject({
      tools: [
        {
          name: "move",
          title: "Move",
          description: "Moves a piece",
          inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
          outputSchema: { type: "object", properties: { moved: { type: "boolean" } } },
          annotations: { readOnlyHint: false },
          _meta: { "x/y": 1 },
        },
      ],
    });
    const [tool] = (result as { tools: object[] }).tools;
    expect(Object.keys(tool as object)).not.toContain("enabled");
    expect(Object.keys(tool as object)).not.toContain("handler");
  });

  test("without schemas is listed with an open object as input (VEW-21)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => void app.registerTool("ping", {}, () => text("pong")),
      },
    );
    expect((await host.request("tools/list")).result).toEqual({
      tools: [{ name: "ping", inputSchema: { type: "object" } }],
    });
  });

  test("gets validated arguments, with defaults filled in (VEW-19)", async () => {
    const seen: unknown[] = [];
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          const inputSchema = z.object({ n: z.number(), unit: z.string().default("px") });
          app.registerTool("size", { inputSchema }, (args, { mcpReq }) => {
            expectTypeOf(args).toEqualTypeOf<{ n: number; unit: string }>();
            seen.push(args, mcpReq.method);
            return text("ok");
          });
        },
      },
    );
    await host.request("tools/call", { name: "size", arguments: { n: 3 } });
    expect(seen).toEqual([{ n: 3, unit: "px" }, "tools/call"]);
  });

  test("refuses arguments that do not fit, and names where (VEW-19)", async () => {
    let called = false;
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool("size", { inputSchema: z.object({ n: z.number() }) }, () => {
            called = true;
            return text("ok");
          });
        },
      },
    );
    const answer = await host.request("tools/call", { name: "size", arguments: { n: "3" } });
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('"n"') });
    expect(called).toBe(false);
  });

  test.each(["nobody", "__proto__", "constructor"])(
    "named %s that is not there is invalid params (VEW-19)",
    async (name) => {
      const { host } = await connectApp(
        {},
        {
          prepare: (app) => void app.registerTool("x", {}, () => text("ok")),
        },
      );
      expect(await host.request("tools/call", { name })).toMatchObject({
        error: { code: -32602, message: expect.stringContaining(name) },
      });
    },
  );

  test("that throws answers with isError, so the model can read why (VEW-20)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool("x", {}, () => {
            throw new Error("square is taken");
          });
        },
      },
    );
    expect((await host.request("tools/call", { name: "x" })).result).toEqual({
      isError: true,
      content: [{ type: "text", text: "Error: square is taken" }],
    });
  });

  test("whose output does not fit its schema answers with isError (VEW-20)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          const outputSchema = z.object({ moved: z.boolean() });
          app.registerTool("x", { outputSchema }, () => ({
            content: [],
            structuredContent: { moved: "yes" } as never,
          }));
        },
      },
    );
    expect((await host.request("tools/call", { name: "x" })).result).toMatchObject({
      isError: true,
    });
  });

  test("that reports an error itself is not held to its output schema", async () => {
    const failed = { isError: true as const, ...text("no") };
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool("x", { outputSchema: z.object({ moved: z.boolean() }) }, () => failed);
        },
      },
    );
    expect((await host.request("tools/call", { name: "x" })).result).toEqual(failed);
  });

  test("without an input schema gets the context alone", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool("x", {}, ({ mcpReq }) => text(String(mcpReq.signal.aborted)));
        },
      },
    );
    expect(
      await host.request("tools/call", { name: "x", arguments: { ignored: 1 } }),
    ).toMatchObject({
      result: text("false"),
    });
  });

  test("of a name already taken is a mistake with a name", () => {
    const app = new App({ name: "x", version: "1" });
    app.registerTool("x", {}, () => text("ok"));
    expect(() => app.registerTool("x", {}, () => text("ok"))).toThrow("tool-exists");
  });

  test("with a schema whose library knows no JSON Schema still works", async () => {
    const schema: StandardSchemaV1<unknown, { ok: true }> = {
      "~standard": { version: 1, vendor: "own", validate: () => ({ value: { ok: true } }) },
    };
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => {
          app.registerTool("x", { inputSchema: schema }, (args) => text(JSON.stringify(args)));
        },
      },
    );
    expect(await host.request("tools/call", { name: "x" })).toMatchObject({
      result: text('{"ok":true}'),
    });
    expect((await host.request("tools/list")).result).toMatchObject({
      tools: [{ inputSchema: { type: "object" } }],
    });
  });
});

describe("a tool in a changing View", () => {
  test("can be hidden by context, and is then neither listed nor called (VEW-22)", async () => {
    const { app, host } = await connectApp(
      {},
      {
        prepare: (app) => void app.registerTool("a", {}, () => text("a")),
      },
    );
    const undo = app.registerTool("undo", {}, () => text("undone"));
    undo.disable();
    const names = async (): Promise<string[]> => {
      const { result } = await host.request("tools/list");
      return (result as { tools: Array<{ name: string }> }).tools.map(({ name }) => name);
    };
    expect(await names()).toEqual(["a"]);
    expect(await host.request("tools/call", { name: "undo" })).toMatchObject({
      error: { code: -32602 },
    });
    undo.enable();
    expect(await names()).toEqual(["a", "undo"]);
    undo.remove();
    undo.remove();
    expect(await names()).toEqual(["a"]);
  });

  test("can be updated in place", async () => {
    const { app, host } = await connectApp(
      {},
      {
        prepare: (app) => void app.registerTool("a", {}, () => text("a")),
      },
    );
    const tool = app.registerTool("b", { description: "old" }, () => text("b"));
    tool.update({ description: "new" });
    expect((await host.request("tools/list")).result).toMatchObject({
      tools: [{ name: "a" }, { name: "b", description: "new" }],
    });
  });

  test("tells the Host of each change when listChanged was declared (VEW-23)", async () => {
    const { app, host } = await connectApp({}, { capabilities: { tools: { listChanged: true } } });
    const tool = app.registerTool("a", {}, () => text("a"));
    tool.disable();
    tool.update({ title: "A" });
    tool.remove();
    await turn();
    expect(host.all(LIST_CHANGED)).toHaveLength(4);
  });

  test("tells it nothing when listChanged was not declared (VEW-23)", async () => {
    const { app, host } = await connectApp({}, { capabilities: { tools: {} } });
    app.registerTool("a", {}, () => text("a")).disable();
    await turn();
    expect(host.all(LIST_CHANGED)).toEqual([]);
  });

  test("tells it nothing before the handshake (VEW-02, VEW-23)", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) => void app.registerTool("a", {}, () => text("a")),
      },
    );
    await turn();
    expect(host.methods).toEqual(["ui/initialize", "ui/notifications/initialized"]);
  });

  test("an old handle does not remove its successor of the same name", async () => {
    const { app, host } = await connectApp({}, { capabilities: { tools: {} } });
    const old = app.registerTool("a", {}, () => text("old"));
    old.remove();
    app.registerTool("a", {}, () => text("new"));
    old.remove();
    expect(await host.request("tools/call", { name: "a" })).toMatchObject({ result: text("new") });
  });
});

describe("progress", () => {
  test("of a registered tool reaches the Host under the token of its request", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) =>
          void app.registerTool("export", {}, async ({ mcpReq }) => {
            const { progressToken } = mcpReq._meta ?? {};
            const params = { progressToken, progress: 1, total: 2, message: "Half" };
            await mcpReq.notify({ method: "notifications/progress", params });
            return text("done");
          }),
      },
    );
    await host.request("tools/call", { name: "export", _meta: { progressToken: 7 } });
    expect(host.last("notifications/progress")?.params).toEqual({
      progressToken: 7,
      progress: 1,
      total: 2,
      message: "Half",
    });
  });

  test("has no token when the Host doesn't ask for it", async () => {
    const { host } = await connectApp(
      {},
      {
        prepare: (app) =>
          void app.registerTool("export", {}, ({ mcpReq }) =>
            text(`${mcpReq._meta?.progressToken}`),
          ),
      },
    );
    expect(await host.request("tools/call", { name: "export" })).toMatchObject({
      result: text("undefined"),
    });
  });
});
