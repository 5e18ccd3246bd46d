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
import { KEYS } from "./stage.ts";

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

/** After the version, the length of the key's id, and the id. */
const NONCE_AT = 4;

const make = (options: Partial<EnvelopeOptions> = {}) => new Envelopes({ keys: KEYS, ...options });
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
  const length = whole.readUInt16BE(NONCE_AT + 28);
  const start = NONCE_AT + 30;
  const head = JSON.parse(whole.toString("utf8", start, start + length));
  change(head);
  const written = Buffer.from(JSON.stringify(head));
  const size = Buffer.alloc(2);
  size.writeUInt16BE(written.length);
  const [before, after] = [whole.subarray(0, NONCE_AT + 28), whole.subarray(start + length)];
  return Buffer.concat([before, size, written, after]);
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
    const places = [4, 15, 16, 31, whole.length - BODY.length, whole.length - 1];
    for (const place of places) {
      const changed = Buffer.from(whole);
      changed[place] = (changed[place] as number) ^ 1;
      expect([place, codeOf(() => make().open(changed, TO))]).toEqual([place, "forged"]);
    }
  });

  test("that was sealed with another secret", () => {
    for (const id of ["c1", "c2"]) {
      const other = make({ keys: [{ id, secret: new Uint8Array(32).fill(8) }] });
      expect(codeOf(() => make().open(other.seal(FROM, HEAD, BODY), TO))).toBe("forged");
      expect(codeOf(() => make().open(other.seal(FROM, HEAD, BODY, 4), TO))).toBe("forged");
    }
  });

  test("whose version was changed", () => {
    const changed = Buffer.from(sealed());
    changed[0] = 4;
    expect(codeOf(() => make().open(changed, TO))).not.toBe("opened");
    changed[0] = 6;
    expect(codeOf(() => make({ wire: { oldest: 4, newest: 6 } }).open(changed, TO))).toBe("forged");
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

test("rejects a short key", () => {
  expect(() => make({ keys: [{ id: "c1", secret: new Uint8Array(16) }] })).toThrow("32 bytes");
});

describe("versions and keys (O7)", () => {
  const wire = (oldest: number, newest: number) => ({ wire: { oldest, newest } });

  test("a process opens its own version and the one before", () => {
    for (const version of [4, 5]) {
      const bytes = make().seal(FROM, HEAD, BODY, version);
      expect(bytes[0]).toBe(version);
      expect(make().open(bytes, TO)).toMatchObject({ body: BODY, version });
    }
  });

  test("a message of any other version is rejected, and the reason names both", () => {
    const later = make(wire(6, 7)).seal(FROM, HEAD, BODY);
    expect(() => make().open(later, TO)).toThrow(
      "The message has wire version 7, but this gateway supports 4 to 5. Upgrade the older gateway.",
    );
  });

  test("opens with every key, so that the key can be rotated one gateway at a time (O6)", () => {
    const next = { id: "c2", secret: new Uint8Array(32).fill(10) };
    const before = KEYS;
    const prepared = [...KEYS, next];
    const changed = [next, ...KEYS];
    const after = [next];
    const pairs = [
      [before, prepared],
      [prepared, before],
      [prepared, changed],
      [changed, prepared],
      [changed, after],
      [after, changed],
    ] as const;
    for (const version of [4, 5]) {
      for (const [sender, reader] of pairs) {
        const message = make({ keys: sender }).seal(FROM, HEAD, BODY, version);
        expect(make({ keys: reader }).open(message, TO).body).toBe(BODY);
      }
    }
    const late = make({ keys: after }).seal(FROM, HEAD, BODY);
    expect(() => make({ keys: before }).open(late, TO)).toThrow(
      "The message names the key c2, but cluster.key of this gateway has c1.",
    );
  });
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
