// An attacker on the broker can change, repeat and redirect messages. None of these is carried out.

import { bytesOf } from "@vitrine/internal/engine-trial";
import { describe, expect, test } from "vitest";
import {
  EnvelopeError,
  type EnvelopeOptions,
  Envelopes,
  type Head,
} from "../src/routing/envelope.ts";
import { ReplayWindow } from "../src/routing/replay-window.ts";
import { SECRET } from "./stage.ts";

const NODE = "0123456789abcdef01234567";
const FROM = `${NODE}.7`;
const TO = "aaaaaaaaaaaaaaaaaaaaaaaa.9";
const HEAD: Head = {
  op: "call",
  server: "board",
  key: "k",
  revision: 12,
  to: TO,
  call: 1,
  chunks: 0,
  deadline: 5000,
};
const BODY = '{"scope":{"headers":{"authorization":"Bearer secret-of-ann"}}}\n{"text":1}';

const make = (options: Partial<EnvelopeOptions> = {}) =>
  new Envelopes({ secret: SECRET, ...options });
const sealed = (head: Partial<Head> = {}, from = FROM) =>
  make().seal(from, { ...HEAD, ...head }, BODY);

function codeOf(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    return error instanceof EnvelopeError ? error.code : `${error}`;
  }
  return "opened";
}

/** The envelope with another value in its head, of the same length or not. */
function rewritten(bytes: Uint8Array, change: (head: Record<string, unknown>) => void): Uint8Array {
  const whole = Buffer.from(bytes);
  const length = whole.readUInt16BE(29);
  const head = JSON.parse(whole.toString("utf8", 31, 31 + length));
  change(head);
  const written = Buffer.from(JSON.stringify(head));
  const size = Buffer.alloc(2);
  size.writeUInt16BE(written.length);
  return Buffer.concat([whole.subarray(0, 29), size, written, whole.subarray(31 + length)]);
}

test("the recipient opens a sealed message", () => {
  const { head, body } = make().open(sealed(), TO);
  expect(head).toMatchObject({ ...HEAD, from: FROM, seq: 1 });
  expect(body).toBe(BODY);
});

test("credentials can't be read on the broker", () => {
  expect(Buffer.from(sealed()).includes("secret-of-ann")).toBe(false);
});

describe("rejects an envelope", () => {
  test.for([
    ["operation", "op", "cancel"],
    ["server", "server", "bank"],
    ["scope", "key", "l"],
    ["revision", "revision", 13],
    ["addressee", "to", "bbbbbbbbbbbbbbbbbbbbbbbb.9"],
    ["call", "call", 2],
    ["number of chunks", "chunks", 1],
    ["deadline", "deadline", 500_000],
    ["sender", "from", "bbbbbbbbbbbbbbbbbbbbbbbb.7"],
    ["number", "seq", 2],
    ["time", "at", Date.now() + 1],
  ] as const)("whose %s was changed", ([, field, value]) => {
    const changed = rewritten(sealed(), (head) => {
      expect(head).toHaveProperty(field);
      head[field] = value;
    });
    expect(codeOf(() => make().open(changed, field === "to" ? `${value}` : TO))).toBe("forged");
  });

  test("with an additional or missing field", () => {
    const more = rewritten(sealed(), (head) => {
      head.admin = true;
    });
    expect(codeOf(() => make().open(more, TO))).toBe("forged");
    const less = rewritten(sealed(), (head) => delete head.revision);
    expect(codeOf(() => make().open(less, TO))).toBe("malformed");
  });

  test("with any changed byte of the body, the tag or the nonce", () => {
    const whole = Buffer.from(sealed());
    const places = [1, 12, 13, 28, whole.length - BODY.length, whole.length - 1];
    for (const place of places) {
      const changed = Buffer.from(whole);
      changed[place] = (changed[place] as number) ^ 1;
      expect([place, codeOf(() => make().open(changed, TO))]).toEqual([place, "forged"]);
    }
  });

  test("that was sealed with another secret", () => {
    const other = make({ secret: new Uint8Array(32).fill(8) });
    expect(codeOf(() => make().open(other.seal(FROM, HEAD, BODY), TO))).toBe("forged");
  });

  test("for another process, or for an earlier epoch of this one", () => {
    for (const to of ["bbbbbbbbbbbbbbbbbbbbbbbb.9", "aaaaaaaaaaaaaaaaaaaaaaaa.8"]) {
      expect(codeOf(() => make().open(sealed({ to }), TO))).toBe("misdirected");
    }
  });

  test("the second time", () => {
    const reader = make();
    const twice = sealed();
    reader.open(twice, TO);
    expect(codeOf(() => reader.open(twice, TO))).toBe("replayed");
  });

  test("that is older than the window, or from the future", () => {
    const early = make({ clock: () => Date.now() - 31_000 }).seal(FROM, HEAD, BODY);
    const late = make({ clock: () => Date.now() + 31_000 }).seal(FROM, HEAD, BODY);
    expect(codeOf(() => make().open(early, TO))).toBe("stale");
    expect(codeOf(() => make().open(late, TO))).toBe("stale");
  });

  test("that isn't an envelope", () => {
    const bodies = ["", "x", "x".repeat(100), `\u0001${"\0".repeat(28)}\xff\xff{}`];
    const heads = ["null", "[]", "{}", "1"].map((text) =>
      Buffer.concat([
        Buffer.from([1]),
        Buffer.alloc(28),
        Buffer.from([0, text.length]),
        bytesOf(text),
      ]),
    );
    for (const bytes of [...bodies.map((text) => Buffer.from(text, "latin1")), ...heads]) {
      expect(codeOf(() => make().open(bytes, TO))).toBe("malformed");
    }
  });

  test("with a sender that isn't a valid process name", () => {
    const odd = make().seal("../../etc", HEAD, BODY);
    expect(codeOf(() => make().open(odd, TO))).toBe("malformed");
  });
});

test("rejects a short secret", () => {
  expect(() => make({ secret: new Uint8Array(16) })).toThrow("32 bytes");
});

describe("a replay window", () => {
  test("accepts each number once, in any order", () => {
    const window = new ReplayWindow({ most: 10, remember: 1000 });
    const numbers = Array.from({ length: 3000 }, (_, place) => place + 1);
    const mixed = numbers.toSorted((a, b) => ((a * 7919) % 3001) - ((b * 7919) % 3001));
    expect(mixed.every((number) => window.accept("a", number, 0))).toBe(true);
    expect(mixed.some((number) => window.accept("a", number, 0))).toBe(false);
  });

  test("treats numbers older than the window as seen", () => {
    const window = new ReplayWindow({ most: 10, remember: 1000 });
    window.accept("a", 10_000, 0);
    expect(window.accept("a", 5000, 0)).toBe(false);
    expect(window.accept("a", 9999, 0)).toBe(true);
    expect(window.accept("a", 0, 0)).toBe(false);
    expect(window.accept("a", -5, 0)).toBe(false);
  });

  test("agrees with a set, over long gaps and repeated numbers", () => {
    const window = new ReplayWindow({ most: 1, remember: 1 });
    const seen = new Set<number>();
    let highest = 0;
    let state = 1;
    for (let step = 0; step < 20_000; step++) {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      const jump = state % 97 === 0 ? state % 9000 : (state % 40) - 20;
      const number = Math.max(1, highest + jump);
      const isNew = !seen.has(number) && number > highest - 4096;
      expect(window.accept("a", number, 0)).toBe(isNew);
      seen.add(number);
      highest = Math.max(highest, number);
    }
  });

  test("rejects a new sender at its limit rather than forget one", () => {
    const window = new ReplayWindow({ most: 2, remember: 1000 });
    expect(window.accept("a", 1, 0)).toBe(true);
    expect(window.accept("b", 1, 500)).toBe(true);
    expect(window.accept("c", 1, 900)).toBe(false);
    expect(window.accept("a", 1, 900)).toBe(false);
    // By now an envelope of the first sender is too old to be opened.
    expect(window.accept("c", 1, 1100)).toBe(true);
  });
});
