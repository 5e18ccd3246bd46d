import { LocalError, RpcError, wording } from "@vitrine/protocol";
import { PEER_SENTENCES, speakIn } from "@vitrine/protocol/sentences";
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
    expect(error.stack).toContain("errors.test");
  });
});

describe("a LocalError", () => {
  test("is terse by default: an anchor in errors.md and the value it is about", () => {
    const error = new LocalError("timeout", "tools/call");
    expect(error).toMatchObject({ name: "LocalError", code: "timeout" });
    expect(error.message).toBe("errors.md#timeout: tools/call");
  });

  test("speaks in sentences once they are given, and stays terse where there is none", () => {
    speakIn(PEER_SENTENCES);
    const message = new LocalError("timeout", "tools/call").message;
    expect(message).toContain("tools/call");
    expect(message).toContain("options.timeout");
    expect(new LocalError("unheard-of", 7).message).toBe("unheard-of: 7");
  });

  test("speaks in sentences of several packages side by side", () => {
    speakIn(PEER_SENTENCES);
    speakIn({ own: (about) => `Own words about ${about}.` });
    expect(new LocalError("own", "x").message).toBe("Own words about x.");
    expect(new LocalError("closed", "x").message).toContain("Connect before sending");
  });

  test.each(Object.entries(PEER_SENTENCES))(
    "of code %s names the value and the remedy",
    (_code, say) => {
      const sentence = say("some/method");
      expect(sentence).toContain("some/method");
      expect(sentence).toMatch(/^[A-Z"].{40,}\.$/);
    },
  );
});
