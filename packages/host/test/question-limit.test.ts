import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ConsentAnswer, ConsentRequest } from "../src/consent/consent.ts";
import { createConsent } from "../src/consent/consent-memory.ts";
import { tool } from "./scripted-upstream.ts";

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();
let number = 0;

/** A question about another tool each time, so that nothing is remembered. */
function question(more: Partial<ConsentRequest> = {}): ConsentRequest {
  number += 1;
  const subject = { kind: "tool", tool: tool(`tool-${number}`), arguments: {} } as const;
  const view = { key: "1", server: "weather" };
  return { ...subject, view, userActive: false, signal, ...more } as ConsentRequest;
}

const pass = (milliseconds: number): void => void vi.advanceTimersByTime(milliseconds);

describe("S41: a view that asks again and again", () => {
  test("is refused without a question after two refusals, and told why", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask);
    for (let n = 0; n < 5; n++) await consent(question());
    expect(ask).toHaveBeenCalledTimes(2);
    const answer = (await consent(question())) as ConsentAnswer;
    expect(answer).toEqual({ allow: false, reason: expect.stringContaining("refused twice") });
  });

  test("is refused although all of its questions were there before the first answer", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask);
    await Promise.all(Array.from({ length: 5 }, () => consent(question({ userActive: true }))));
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("may have six questions open, and the seventh is refused at once", async () => {
    const consent = createConsent(() => new Promise(() => {}));
    const open = Array.from({ length: 7 }, () => consent(question()));
    expect(await open[6]).toEqual({ allow: false, reason: expect.stringContaining("Too many") });
  });

  test("asks again after a gesture, which counts once", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask);
    for (let n = 0; n < 3; n++) await consent(question());
    for (let n = 0; n < 3; n++) await consent(question({ userActive: true }));
    expect(ask).toHaveBeenCalledTimes(4);
    pass(5000);
    await consent(question({ userActive: true }));
    expect(ask).toHaveBeenCalledTimes(4);
    pass(1000);
    await consent(question({ userActive: true }));
    expect(ask).toHaveBeenCalledTimes(5);
  });

  test("is refused after six refusals, even with gestures, for ten minutes", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask);
    for (let n = 0; n < 10; n++) {
      await consent(question({ userActive: true }));
      pass(MINUTE / 6);
    }
    expect(ask).toHaveBeenCalledTimes(6);
    pass(10 * MINUTE);
    await consent(question());
    expect(ask).toHaveBeenCalledTimes(7);
  });

  test("starts from zero after the user allowed something", async () => {
    const answers = [false, true, false, false, true];
    const ask = vi.fn(() => answers.shift() ?? false);
    const consent = createConsent(ask);
    for (let n = 0; n < 6; n++) await consent(question());
    expect(ask).toHaveBeenCalledTimes(4);
  });

  test("doesn't silence other views, what a rule allows, or the model's own calls", async () => {
    const ask = vi.fn(() => false);
    const consent = createConsent(ask);
    for (let n = 0; n < 3; n++) await consent(question());
    await consent(question({ view: { key: "2", server: "weather" } }));
    await consent(question({ view: { key: "1", server: "bank" } }));
    await consent(question({ kind: "app-tool" } as Partial<ConsentRequest>));
    expect(ask).toHaveBeenCalledTimes(5);
    const reading = tool("look", { annotations: { readOnlyHint: true } });
    expect(await consent(question({ tool: reading } as Partial<ConsentRequest>))).toBe(true);
  });
});

test("S36: after two withdrawn questions a view is refused, with a gesture or without", async () => {
  let abort: AbortController | undefined;
  const ask = vi.fn(() => {
    abort?.abort();
    return false;
  });
  const consent = createConsent(ask);
  for (let n = 0; n < 2; n++) {
    abort = new AbortController();
    await consent(question({ userActive: true, signal: abort.signal }));
    pass(MINUTE);
  }
  abort = undefined;
  expect(await consent(question({ userActive: true }))).toEqual({
    allow: false,
    reason: expect.stringContaining("withdrew"),
  });
  expect(ask).toHaveBeenCalledTimes(2);
  pass(10 * MINUTE);
  await consent(question());
  expect(ask).toHaveBeenCalledTimes(3);
});
