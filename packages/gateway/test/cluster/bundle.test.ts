// Letters that leave together share an envelope. Whoever can write to the broker can mix up and repeat what
// refers to them; nothing is handed out twice, or to somebody else.

import { bytesOf, textOf } from "@vitrine/testing/engine-trial";
import { describe, expect, test } from "vitest";
import { Inbox, Outbox } from "../../src/cluster/bundle.ts";
import { EnvelopeError, Envelopes, type Head } from "../../src/cluster/envelope.ts";
import { SECRET } from "./stage.ts";

const FROM = "0123456789abcdef01234567.7";
const TO = "aaaaaaaaaaaaaaaaaaaaaaaa.9";
const OTHER = "bbbbbbbbbbbbbbbbbbbbbbbb.3";

function headOf(number: number, to = TO): Head {
  const reply = `${FROM}:${number}`;
  return { op: "call", server: "board", key: "k", revision: 12, to, reply, pieces: 0, deadline: 5 };
}

const fail = (error: unknown): void => {
  throw error;
};
const inbox = () => new Inbox(new Envelopes({ secret: SECRET }));

/** What is put on the bus for so many letters of one turn. */
async function posted(
  count: number,
  { to = () => TO, body = (n: number) => bytesOf(`secret ${n}`), leave = () => true } = {} as {
    to?: (n: number) => string;
    body?: (n: number) => Uint8Array;
    leave?: (n: number) => boolean;
  },
): Promise<Uint8Array[]> {
  const outbox = new Outbox(new Envelopes({ secret: SECRET }));
  const sent: Uint8Array[] = [];
  for (let n = 0; n < count; n++) {
    const send = (sealed: Uint8Array): void => void sent.push(sealed);
    outbox.post(FROM, headOf(n, to(n)), body(n), { leave: () => leave(n), send, fail });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  return sent;
}

function codeOf(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    return error instanceof EnvelopeError ? error.code : `${error}`;
  }
  return "opened";
}

test("letters of one turn are opened as they were posted, each with its own head", async () => {
  const frames = await posted(40);
  expect(frames).toHaveLength(40);
  const reader = inbox();
  for (const [n, frame] of frames.entries()) {
    const { head, body } = reader.open(frame, TO);
    expect(head).toMatchObject({ ...headOf(n), from: FROM });
    expect(textOf(body)).toBe(`secret ${n}`);
  }
});

test("only the first of them is as large as an envelope, and none can be read on the way", async () => {
  const [first, ...rest] = await posted(40);
  expect(first?.length).toBeGreaterThan(40 * 8);
  for (const frame of rest) expect(frame.length).toBeLessThan(32);
  expect([first, ...rest].some((frame) => Buffer.from(frame ?? []).includes("secret"))).toBe(false);
});

test("what is taken back before the turn is over does not leave, and takes no other with it", async () => {
  // The first would have carried them all: those behind it were refused, and nobody knew what became of them.
  const frames = await posted(5, { leave: (n) => n !== 0 && n !== 3 });
  const reader = inbox();
  const bodies = frames.map((frame) => textOf(reader.open(frame, TO).body));
  expect(bodies).toEqual(["secret 1", "secret 2", "secret 4"]);
  expect(await posted(2, { leave: () => false })).toEqual([]);
});

test("each addressee has an envelope of its own", async () => {
  const frames = await posted(4, { to: (n) => (n % 2 ? OTHER : TO) });
  const reader = inbox();
  const opened = frames.filter((frame) => codeOf(() => reader.open(frame, OTHER)) === "opened");
  expect(opened).toHaveLength(2);
});

test("letters that are large, or too many for one envelope, arrive as well", async () => {
  const body = (n: number): Uint8Array => new Uint8Array(n % 3 ? 3000 : 10_000).fill(n);
  const frames = await posted(60, { body });
  const reader = inbox();
  const replies = frames.map((frame) => {
    const letter = reader.open(frame, TO);
    const number = Number(letter.head.reply.split(":")[1]);
    expect(letter.body).toEqual(Buffer.from(body(number)));
    return letter.head.reply;
  });
  expect(new Set(replies).size).toBe(60);
});

describe("a reference is refused", () => {
  test("the second time, and so is its envelope", async () => {
    const frames = await posted(3);
    const reader = inbox();
    for (const frame of frames) reader.open(frame, TO);
    for (const frame of frames) expect(codeOf(() => reader.open(frame, TO))).toBe("replayed");
  });

  test("before its envelope is there, and then it is opened by it once", async () => {
    const [envelope, reference] = (await posted(2)) as [Uint8Array, Uint8Array];
    const reader = inbox();
    expect(codeOf(() => reader.open(reference, TO))).toBe("replayed");
    reader.open(envelope, TO);
    expect(codeOf(() => reader.open(reference, TO))).toBe("opened");
  });

  test("at another address than its envelope's", async () => {
    const [envelope, reference] = (await posted(2)) as [Uint8Array, Uint8Array];
    const reader = inbox();
    reader.open(envelope, TO);
    expect(codeOf(() => reader.open(reference, OTHER))).toBe("replayed");
  });

  test("to a place that is not there, or of another length", async () => {
    const [envelope, reference] = (await posted(2)) as [Uint8Array, Uint8Array];
    const reader = inbox();
    reader.open(envelope, TO);
    for (const place of [0, 2, 255]) {
      const changed = Buffer.from(reference);
      changed[2] = place;
      expect([place, codeOf(() => reader.open(changed, TO))]).toEqual([place, "replayed"]);
    }
    const longer = Buffer.concat([reference, Buffer.alloc(1)]);
    expect(codeOf(() => reader.open(longer, TO))).toBe("malformed");
    expect(codeOf(() => reader.open(reference.subarray(0, 5), TO))).toBe("malformed");
  });

  test("whose envelope was changed on the way, with all that is in it", async () => {
    const [envelope, ...references] = (await posted(3)) as [Uint8Array, ...Uint8Array[]];
    const reader = inbox();
    const changed = Buffer.from(envelope);
    changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
    expect(codeOf(() => reader.open(changed, TO))).toBe("forged");
    for (const each of references) expect(codeOf(() => reader.open(each, TO))).toBe("replayed");
  });
});

test("what cannot be sealed fails for all who share the envelope, and for nobody else", async () => {
  const outbox = new Outbox(new Envelopes({ secret: SECRET }));
  const told: string[] = [];
  for (const n of [0, 1, 2]) {
    const to = n === 2 ? OTHER : "x".repeat(70_000);
    const send = (): void => void told.push(`sent ${n}`);
    outbox.post(FROM, headOf(n, to), bytesOf("x"), {
      leave: () => true,
      send,
      fail: () => told.push(`failed ${n}`),
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual(["failed 0", "failed 1", "sent 2"]);
});

test("an envelope whose sender says nonsense within it is refused, not half read", () => {
  const envelopes = new Envelopes({ secret: SECRET });
  const lists = ["[]", "{}", "x", "[1]", '[["call"]]', '[["call","s","k",1,"r",0,1,99]]'];
  for (const text of lists) {
    const body = Buffer.concat([Buffer.from([0, 0, 0, text.length]), bytesOf(text)]);
    const sealed = envelopes.seal(FROM, { ...headOf(1), op: "*" }, body);
    expect([text, codeOf(() => inbox().open(sealed, TO))]).toEqual([text, "malformed"]);
  }
});
