import { describe, expect, test } from "vitest";
import { connectApp } from "./connect-app.ts";

describe("teardown", () => {
  test("is answered with an empty object when the author set no handler (VEW-13)", async () => {
    const { host } = await connectApp();
    expect(await host.request("ui/resource-teardown", { reason: "closed" })).toMatchObject({
      result: {},
    });
  });

  test("waits for the author's handler and answers with what it returns (VEW-13)", async () => {
    const { app, host } = await connectApp();
    const seen: unknown[] = [];
    app.onteardown = async (params, { mcpReq }) => {
      seen.push(params, mcpReq.method, mcpReq.signal.aborted);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { draft: "kept" };
    };
    const answer = await host.request("ui/resource-teardown", { reason: "evicted" });
    expect(answer).toMatchObject({ result: { draft: "kept" } });
    expect(seen).toEqual([{ reason: "evicted" }, "ui/resource-teardown", false]);
  });

  test("is answered even when the handler throws, without its message", async () => {
    const { app, host } = await connectApp();
    const errors: unknown[] = [];
    app.onerror = (error) => errors.push(error);
    app.onteardown = () => {
      throw new Error("token abc");
    };
    const answer = await host.request("ui/resource-teardown");
    expect(answer.error).toMatchObject({ code: -32603, message: "Internal error" });
    expect(errors).toMatchObject([{ message: "token abc" }]);
  });
});

describe("other requests of the Host", () => {
  test("ping is answered (VEW-28)", async () => {
    const { host } = await connectApp();
    expect(await host.request("ping")).toMatchObject({ result: {} });
  });

  test.each(["unknown/method", "sampling/createMessage", "__proto__", "constructor", ""])(
    "%j is method not found (VEW-28)",
    async (method) => {
      const { host } = await connectApp();
      expect(await host.request(method)).toMatchObject({ error: { code: -32601 } });
    },
  );

  test("can be answered by the author through the peer", async () => {
    const { app, host } = await connectApp();
    app.peer.handle("tasks/get", (params) => ({ ...(params as object), status: "working" }));
    expect(await host.request("tasks/get", { taskId: "1" })).toMatchObject({
      result: { taskId: "1", status: "working" },
    });
  });

  test("notifications beyond the events can be received through the peer", async () => {
    const { app, host } = await connectApp();
    const received = new Promise((resolve) =>
      app.peer.on("notifications/tools/list_changed", resolve),
    );
    host.notify("notifications/tools/list_changed", {});
    expect(await received).toEqual({});
  });
});
