// The small parsers, against whatever can be generated.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readServerMessage } from "../../src/upstreams/frames/server-message.ts";
import { EventStreamParser } from "../../src/upstreams/http/event-stream.ts";
import { LineSplitter } from "../../src/upstreams/stdio/line-splitter.ts";

/** Cuts bytes at arbitrary places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Buffer[] {
  const at = [
    0,
    ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

describe("a message of a server", () => {
  test("rejects a message that would use too much memory once parsed", () => {
    const long = "x".repeat(70_000);
    const message = (body: string) =>
      `{"jsonrpc":"2.0","method":"m","params":{"long":"${long}","body":${body}}}`;
    expect(readServerMessage(message(`${"[".repeat(200)}${"]".repeat(200)}`))).toBeDefined();
    expect(readServerMessage(message(`${"[".repeat(300)}${"]".repeat(300)}`))).toBeUndefined();
    expect(readServerMessage(message(`[${"{},".repeat(1_000_000)}1]`))).toBeUndefined();
    expect(readServerMessage(message(`"${"[".repeat(300)}"`))).toBeDefined();
    expect(readServerMessage(`{"a":"${long}`)).toBeUndefined();
    const small = (depth: number) =>
      `{"jsonrpc":"2.0","method":"m","params":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
    expect(readServerMessage(small(255))).toBeDefined();
    expect(readServerMessage(small(256))).toBeUndefined();
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

  test("is limited per event, not in total", () => {
    const small = Buffer.from("data: 123456\n\n: comment\n\n");
    expect(read(Array(1000).fill(small), 50)).toHaveLength(1000);
    for (const large of [
      "data: ".padEnd(60, "x"),
      "data: 123456\n".repeat(10),
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
