// S1: a number beyond a double, where the engine loses the text of a number behind a misread key.

import { expect, test } from "vitest";
import { parseJson } from "../../src/json-rpc/parse.ts";
import { serialize } from "../../src/json-rpc/serialize.ts";

test("S1: a number beyond a double is sent as it was written or not at all", () => {
  // After this, an engine with the bug reads `"resul\u0074"` as `resul\` and forgets the text of numbers in it.
  parseJson('{"z":0,"resul\\\\":1}');
  for (const text of [
    '{"z":0,"resul\\u0074":{"n":1e400}}',
    '{"z":0,"resul\\u0074":-1e999}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1e400},"resul\\u0074":[1e400]}',
  ]) {
    let written: string;
    try {
      written = serialize(parseJson(text) as object);
    } catch {
      continue;
    }
    // The value that was checked is infinite, so `null` would be another.
    expect(written, text).not.toContain("null");
  }
});
