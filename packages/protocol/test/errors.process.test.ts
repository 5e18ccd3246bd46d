import { LocalError, RpcError, wording } from "@vitrine/protocol";
import { PEER_ERROR_MESSAGES, registerErrorMessages } from "@vitrine/protocol/error-messages";
import { afterEach, describe, expect, test } from "vitest";

const terse = wording.explain;

afterEach(() => {
  wording.explain = terse;
});

describe("an RpcError", () => {
  test("carries what the other side said", () => {
    const error = new RpcError(-32000, "Denied", { by: "user" });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "RpcError",
      code: -32000,
      message: "Denied",
      data: { by: "user" },
    });
    expect(error.stack).toContain("errors.process.test");
  });
});

describe("a LocalError", () => {
  test("is terse by default: an anchor in errors.md and the value it is about", () => {
    const error = new LocalError("timeout", "tools/call");
    expect(error).toMatchObject({ name: "LocalError", code: "timeout" });
    expect(error.message).toBe("errors.md#timeout: tools/call");
  });

  test("uses registered messages, and stays terse for other codes", () => {
    registerErrorMessages(PEER_ERROR_MESSAGES);
    const message = new LocalError("timeout", "tools/call").message;
    expect(message).toContain("tools/call");
    expect(message).toContain("options.timeout");
    expect(new LocalError("unheard-of", 7).message).toBe("unheard-of: 7");
  });

  test("uses messages of several packages together", () => {
    registerErrorMessages(PEER_ERROR_MESSAGES);
    registerErrorMessages({ own: (about) => `Own words about ${about}.` });
    expect(new LocalError("own", "x").message).toBe("Own words about x.");
    expect(new LocalError("closed", "x").message).toContain("Connect before sending");
  });

  test.each(Object.entries(PEER_ERROR_MESSAGES))(
    "of code %s names the value and the remedy",
    (_code, say) => {
      const sentence = say("some/method");
      expect(sentence).toContain("some/method");
      expect(sentence).toMatch(/^[A-Z"].{40,}\.$/);
    },
  );
});
