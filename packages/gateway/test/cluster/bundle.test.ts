// Letters that leave together share an envelope. Whoever can write to the broker can change and repeat it;
// nothing is handed out twice, or to somebody else.

import { describe, expect, test } from "vitest";
import { AnswerRounds, type Round } from "../../src/cluster/answer-rounds.ts";
import { Outbox, openLetters } from "../../src/cluster/bundle.ts";
import { EnvelopeError, Envelopes, type Head, type Letter } from "../../src/cluster/envelope.ts";
import { SECRET } from "./stage.ts";

const FROM = "0123456789abcdef01234567.7";
const TO = "aaaaaaaaaaaaaaaaaaaaaaaa.9";
const OTHER = "bbbbbbbbbbbbbbbbbbbbbbbb.3";

function headOf(number: number, to = TO): Head {
  const of = { server: "board", key: "k", revision: 12, caller: FROM, call: number };
  return { op: "call", ...of, to, pieces: 0, deadline: 5 };
}

const ignore = (): void => {};

/** The envelopes of so many letters of one turn. */
async function posted(
  count: number,
  { to = () => TO, body = (n: number) => `secret ${n}`, leave = () => true } = {} as {
    to?: (n: number) => string;
    body?: (n: number) => string;
    leave?: (n: number) => boolean;
  },
): Promise<Uint8Array[]> {
  const sent: Uint8Array[] = [];
  const outbox = new Outbox(new Envelopes({ secret: SECRET }), (sealed) => sent.push(sealed));
  for (let n = 0; n < count; n++) {
    outbox.post(FROM, {
      ...{ head: headOf(n, to(n)), body: body(n), fail: ignore },
      leave: () => leave(n),
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  return sent;
}

/** Opens envelopes as one process does. */
function reader(address = TO): (sealed: Uint8Array) => Letter[] {
  const envelopes = new Envelopes({ secret: SECRET });
  return (sealed) => openLetters(envelopes, sealed, address);
}

function codeOf(doing: () => unknown): string {
  try {
    doing();
  } catch (error) {
    return error instanceof EnvelopeError ? error.code : `${error}`;
  }
  return "opened";
}

test("letters of one turn share an envelope, and are opened as they were posted, each with its own head", async () => {
  const [envelope, ...more] = (await posted(40)) as [Uint8Array, ...Uint8Array[]];
  expect(more).toEqual([]);
  const letters = reader()(envelope);
  expect(letters.map(({ body }) => body)).toEqual(
    Array.from({ length: 40 }, (_, n) => `secret ${n}`),
  );
  for (const [n, { head }] of letters.entries())
    expect(head).toMatchObject({ ...headOf(n), from: FROM });
});

test("what they say cannot be read on the way", async () => {
  for (const count of [1, 40]) {
    const [envelope = new Uint8Array()] = await posted(count);
    expect(Buffer.from(envelope).includes("secret")).toBe(false);
  }
});

test("what is taken back before the turn is over does not leave, and takes no other with it", async () => {
  // The first would have carried them all: those behind it were refused, and nobody knew what became of them.
  const envelopes = await posted(5, { leave: (n) => n !== 0 && n !== 3 });
  const bodies = envelopes.flatMap(reader()).map(({ body }) => body);
  expect(bodies).toEqual(["secret 1", "secret 2", "secret 4"]);
  expect(await posted(2, { leave: () => false })).toEqual([]);
});

test("each addressee has an envelope of its own", async () => {
  const [first, second] = await posted(4, { to: (n) => (n % 2 ? OTHER : TO) });
  expect(codeOf(() => reader(OTHER)(first as Uint8Array))).toBe("misdirected");
  expect(reader(OTHER)(second as Uint8Array).map(({ body }) => body)).toEqual([
    "secret 1",
    "secret 3",
  ]);
});

test("letters that are large, or too many for one envelope, arrive as well", async () => {
  const body = (n: number): string => `${n % 10}`.repeat(n % 3 ? 3000 : 10_000);
  const envelopes = await posted(60, { body });
  const letters = envelopes.flatMap(reader());
  for (const { head, body: found } of letters) {
    expect(found).toBe(body(head.call));
  }
  expect(new Set(letters.map(({ head }) => head.call)).size).toBe(60);
  expect(Math.max(...envelopes.map(({ length }) => length))).toBeLessThan(40_000);
});

test("letters of any script arrive as they were, next to each other", async () => {
  const scripts = ["plain", "Grüße", "日本語", "🎈🎈", "e\u0301", "\ufeff", "", "a\nb\n"];
  const body = (n: number): string => scripts[n % scripts.length] as string;
  const envelopes = await posted(40, { body });
  const bodies = envelopes.flatMap(reader()).map(({ body }) => body);
  expect(bodies).toEqual(Array.from({ length: 40 }, (_, n) => body(n)));
});

test("an envelope opens once, with all that is in it", async () => {
  const [envelope] = (await posted(3)) as [Uint8Array];
  const open = reader();
  open(envelope);
  expect(codeOf(() => open(envelope))).toBe("replayed");
});

test("an envelope that was changed on the way gives out none of its letters", async () => {
  const [envelope] = (await posted(3)) as [Uint8Array];
  const changed = Buffer.from(envelope);
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
  expect(codeOf(() => reader()(changed))).toBe("forged");
});

test("what cannot be sealed fails for all who share the envelope, and for nobody else", async () => {
  const told: string[] = [];
  const outbox = new Outbox(new Envelopes({ secret: SECRET }), (_, letters) => {
    for (const { head } of letters) told.push(`sent ${head.call}`);
  });
  for (const n of [0, 1, 2]) {
    const to = n === 2 ? OTHER : "x".repeat(70_000);
    outbox.post(FROM, {
      ...{ head: headOf(n, to), body: "x", leave: () => true },
      fail: () => told.push(`failed ${n}`),
    });
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told.sort()).toEqual(["failed 0", "failed 1", "sent 2"]);
});

test("an envelope whose sender says nonsense within it is refused, not half read", () => {
  const envelopes = new Envelopes({ secret: SECRET });
  const lists = ["[]", "{}", "x", "[1]", "[[0]]", "[[0,1,5]]", '[[99,1,"call","s","k",1,"r",0,5]]'];
  for (const text of lists) {
    const sealed = envelopes.seal(FROM, { ...headOf(1), op: "*" }, `${text}\nbodies`);
    expect([text, codeOf(() => reader()(sealed))]).toEqual([text, "malformed"]);
  }
});

describe("answers of one message", () => {
  const answersOf = () => {
    const published: Uint8Array[] = [];
    const rounds = new AnswerRounds(new Envelopes({ secret: SECRET }), (_, sealed) =>
      published.push(sealed),
    );
    const open = reader();
    const roundOf = (left: number) => {
      const replies: Uint8Array[] = [];
      const reply = (sealed: Uint8Array): void => void replies.push(sealed);
      return { left, replies, reply, fail: ignore };
    };
    const answer = (n: number, round: Round): void =>
      rounds.answer(FROM, headOf(n), `answer ${n}`, round);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
    const texts = (sealed: readonly Uint8Array[]): string[] =>
      sealed.flatMap((each) => (each.length > 0 ? open(each) : [])).map(({ body }) => body);
    return { published, roundOf, answer, turn, texts };
  };

  test("are its reply, when they are given in one turn", async () => {
    const { published, roundOf, answer, turn, texts } = answersOf();
    const round = roundOf(2);
    answer(0, round);
    answer(1, round);
    await turn();
    expect(texts(round.replies)).toEqual(["answer 0", "answer 1"]);
    expect(published).toEqual([]);
  });

  test("do not wait for each other, and the last ones are its reply", async () => {
    const { published, roundOf, answer, turn, texts } = answersOf();
    const round = roundOf(2);
    answer(0, round);
    await turn();
    expect([texts(published), round.replies]).toEqual([["answer 0"], []]);
    answer(1, round);
    await turn();
    expect(texts(round.replies)).toEqual(["answer 1"]);
    expect(published).toHaveLength(1);
  });

  test("leave once, though two messages are replied to at a time", async () => {
    const { published, roundOf, answer, turn, texts } = answersOf();
    const [one, other] = [roundOf(1), roundOf(1)];
    answer(0, one);
    answer(1, other);
    await turn();
    expect(texts(one.replies)).toEqual(["answer 0", "answer 1"]);
    expect(other.replies).toEqual([new Uint8Array()]);
    expect(published).toEqual([]);
  });
});
