// The small parsers, against whatever can be generated.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ambiguousKey } from "../../src/upstreams/frames/ambiguity.ts";
import { editObject, onOneLine, withId } from "../../src/upstreams/frames/json-text.ts";
import { readServerMessage } from "../../src/upstreams/frames/server-message.ts";
import { EventStreamParser } from "../../src/upstreams/http/event-stream.ts";
import { LineSplitter } from "../../src/upstreams/stdio/line-splitter.ts";

const object = fc.dictionary(fc.string(), fc.jsonValue());

/** Cuts bytes at arbitrary places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Buffer[] {
  const at = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

describe("JSON text", () => {
  test("an edit is handed the text that stands there, for each member in its order", () => {
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, undefined, space);
        const seen: [string, unknown][] = [];
        const look = (key: string) => (raw: string | undefined) => {
          seen.push([key, JSON.parse(`${raw}`)]);
          return raw;
        };
        const edits = Object.fromEntries(Object.keys(value).map((key) => [key, look(key)]));
        expect(JSON.parse(editObject(text, edits))).toEqual(JSON.parse(text));
        expect(seen).toEqual(Object.entries(JSON.parse(text)));
      }),
    );
  });

  test("what is not edited stays letter by letter", () => {
    const text = '{ "a\\u0062" : 1.50e+3 , "id":9007199254740993,"b":{ "c": [ ] } }';
    expect(editObject(text, { id: "7" })).toBe('{"a\\u0062" : 1.50e+3,"id":7,"b":{ "c": [ ] }}');
  });

  test("a key that stands there a hundred thousand times takes no longer than it is long", () => {
    const text = `{${Array.from({ length: 1e5 }, () => '"id":1').join(",")}}`;
    const began = performance.now();
    expect(editObject(text, { id: "7" })).toBe('{"id":7}');
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  test("an edit changes what it names and nothing else", () => {
    fc.assert(
      fc.property(object, fc.string(), fc.jsonValue(), (value, key, next) => {
        fc.pre(key !== "__proto__" && !Object.hasOwn(value, "__proto__"));
        const text = JSON.stringify(value, undefined, 1);
        const copy = JSON.parse(text);
        expect(JSON.parse(editObject(text, { [key]: JSON.stringify(next) }))).toEqual({
          ...copy,
          [key]: JSON.parse(JSON.stringify(next)),
        });
        delete copy[key];
        expect(JSON.parse(editObject(text, { [key]: undefined }))).toEqual(copy);
      }),
    );
  });

  test("of a key that stands there twice the one is edited that JSON.parse saw", () => {
    expect(editObject('{"id":1,"x":[],"\\u0069d":2}', { id: "7" })).toBe('{"x":[],"id":7}');
    expect(editObject('{"a":{"b":1},"a":{"c":2}}', { a: (raw) => raw })).toBe('{"a":{"c":2}}');
  });

  test("a message has another id, and says the same otherwise, wherever its id stands", () => {
    const member = fc.tuple(
      fc.constantFrom('"id"', '"\\u0069d"', '"ID"', '"jsonrpc"', '"result"', '"\\"id\\""'),
      fc.constantFrom(
        "1",
        '"1"',
        "null",
        " 2",
        '"2.0"',
        '{"id":3}',
        '[{"x":[]},"id"]',
        '",\\"id\\":4"',
      ),
    );
    const space = fc.constantFrom("", " ", "\n");
    const message = fc
      .tuple(fc.array(member, { maxLength: 4 }), space, space)
      .map(
        ([members, before, after]) =>
          `{${members.map(([key, value]) => `${key}${before}:${after}${value}`).join(",")}}`,
      );
    fc.assert(
      fc.property(message, fc.constantFrom("", '{"jsonrpc":"2.0","id":5,'), (text, begin) => {
        const whole = begin === "" || text === "{}" ? text : begin + text.slice(1);
        const slow = editObject(whole, { id: '"a"' });
        expect(JSON.parse(withId(whole, '"a"'))).toEqual(JSON.parse(slow));
        // Another id would be what some other parser takes for the one.
        expect(withId(whole, '"a"').match(/"id" ?\n?: ?\n?/g)?.length).toBe(
          slow.match(/"id" ?\n?: ?\n?/g)?.length,
        );
      }),
      { numRuns: 2000 },
    );
    expect(withId('{"result":{"a": 1.0},"jsonrpc":"2.0","id":5}', "7")).toBe(
      '{"result":{"a": 1.0},"jsonrpc":"2.0","id":7}',
    );
    expect(withId('{"id":1,"result":{},"id":5}', "7")).toBe('{"result":{},"id":7}');
    expect(withId('{"\\u0069d":1,"result":{},"id":5}', "7")).toBe('{"result":{},"id":7}');
  });

  test("one line is the same JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const line = onOneLine(JSON.stringify(value, undefined, 2).replaceAll("\n", "\r\n"));
        expect(line).not.toMatch(/[\r\n]/);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("a key is ambiguous exactly where it stands twice", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Objects have each key once; arguments may have keys that differ in case.
        expect(ambiguousKey(JSON.stringify({ params: { arguments: value } }))).toBeUndefined();
      }),
    );
    for (const [text, key] of [
      ['{"id":1,"id":1}', "id"],
      ['{"method":"a","x":{"method":"b"},"Method":"c"}', "Method"],
      ['{"params":{"_meta":{"progressToken":1,"progresstoken":2}}}', "progresstoken"],
      ['{"params":{"arguments":{"a":[{"b":{"c":1,"c":2}}]}}}', "c"],
      ['{"params":{"a\\"b":1,"a\\u0022b":2}}', 'a"b'],
    ] as const) {
      expect(ambiguousKey(text)).toBe(key);
    }
    for (const text of [
      '{"params":{"arguments":{"a":1,"A":2}}}',
      '{"params":{"name":"\\"name\\":1,\\"name\\":2"}}',
      '{"params":{"a":["a","a",{"a":1},{"a":1}]}}',
    ]) {
      expect(ambiguousKey(text)).toBeUndefined();
    }
  });

  test("a key is found ambiguous by a quick look as by a close one", () => {
    const key = fc.constantFrom("a", "A", "b", "name", "Name", "_meta", "params", "`", "@");
    const value = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("1", '"a"', '"\\"a\\":"', "[]", "{}"),
        fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
        tie("object"),
      ),
      object: fc
        .array(fc.tuple(key, tie("value")), { maxLength: 4 })
        .map((members) => `{${members.map(([name, each]) => `"${name}":${each}`).join(",")}}`),
    }));
    fc.assert(
      fc.property(value.object, value.object, (params, other) => {
        const text = `{"params":${params},"other":${other}`;
        // An escape in a key is nothing for the quick look.
        expect(ambiguousKey(`${text}}`)).toBe(ambiguousKey(`${text},"\\u007a":1}`));
      }),
      { numRuns: 2000 },
    );
    const deep = `${"[{".repeat(40)}"a":1,"a":1${"}]".repeat(40)}`;
    const many = Array.from({ length: 200 }, (_, n) => `"k${n}":1`).join(",");
    expect(ambiguousKey(`{"params":${deep}}`)).toBe("a");
    expect(ambiguousKey(`{"params":{${many}}}`)).toBeUndefined();
    expect(ambiguousKey(`{"params":{${many},"k199":1}}`)).toBe("k199");
  });

  test("a message that grows when it is parsed is not parsed", () => {
    const long = "x".repeat(70_000);
    const message = (body: string) =>
      `{"jsonrpc":"2.0","method":"m","params":{"long":"${long}","body":${body}}}`;
    expect(readServerMessage(message(`${"[".repeat(200)}${"]".repeat(200)}`))).toBeDefined();
    expect(readServerMessage(message(`${"[".repeat(300)}${"]".repeat(300)}`))).toBeUndefined();
    expect(readServerMessage(message(`[${"{},".repeat(1_000_000)}1]`))).toBeUndefined();
    expect(readServerMessage(message(`"${"[".repeat(300)}"`))).toBeDefined();
    expect(readServerMessage(`{"a":"${long}`)).toBeUndefined();
  });
});

describe("an event stream", () => {
  const read = (
    parts: readonly Buffer[],
    limit = 1000,
  ): { type: string; data: string; id?: string }[] => {
    const parser = new EventStreamParser({ limit });
    return parts.flatMap((part) => [...parser.push(part)]) as never;
  };

  test("gives the same events wherever it is cut", () => {
    const event = fc.record({
      data: fc
        .string({ unit: "grapheme", maxLength: 20 })
        .map((text) => text.replace(/[\r\n]/g, "")),
      type: fc.constantFrom("message", "endpoint", ""),
      end: fc.constantFrom("\n", "\r\n", "\r"),
      comment: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat()), (events, cuts) => {
        const text = events
          .map(({ data, type, end, comment }) =>
            [
              ...(comment ? [": alive", ""] : []),
              `event: ${type}`,
              `data: ${data}`,
              `data:${data}x`,
              "",
              "",
            ].join(end),
          )
          .join("");
        const expected = events.map(({ data, type }) => ({
          type: type || "message",
          // One space after the colon belongs to the syntax.
          data: `${data}\n${`${data}x`.replace(/^ /, "")}`,
          id: undefined,
        }));
        expect(read(pieces(Buffer.from(text), cuts))).toEqual(expected);
      }),
    );
  });

  test("is bounded by event, not in all", () => {
    const small = Buffer.from("data: 123456\n\n: comment\n\n");
    expect(read(Array(1000).fill(small), 50)).toHaveLength(1000);
    for (const large of [
      "data: ".padEnd(60, "x"),
      "data: 1\n".repeat(10),
      `event: ${"x".repeat(60)}`,
    ]) {
      expect(() => read([Buffer.from(large)], 50)).toThrow(
        expect.objectContaining({ code: "too-large" }),
      );
    }
    expect(() => read([Buffer.from([0x64, 0xff])])).toThrow(
      expect.objectContaining({ code: "malformed" }),
    );
  });
});

describe("lines", () => {
  test("are the same wherever they are cut", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const splitter = new LineSplitter({ limit: 10_000 });
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
        expect(pieces(bytes, cuts).flatMap((part) => [...splitter.push(part)])).toEqual(lines);
      }),
    );
  });
});
