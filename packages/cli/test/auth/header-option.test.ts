import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readHeaders, withHeaders } from "../../src/auth/header-option.ts";
import { readTarget } from "../../src/target/target.ts";

test("reads values, variables and files", () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-header-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "key"), "from-a-file\n");
  const headers = readHeaders(
    [
      "X-Plain: a b",
      "Authorization: Bearer $TOKEN",
      `X-File:@${join(folder, "key")}`,
      "X-Dollar: $1$salt",
    ],
    { TOKEN: "from-a-variable" },
  );
  expect(Object.fromEntries(headers)).toEqual({
    "x-plain": "a b",
    authorization: "Bearer from-a-variable",
    "x-file": "from-a-file",
    "x-dollar": "$1$salt",
  });
});

test.each([
  ["no colon", /Write it as --header "Name: value"/],
  ["X-Empty:", /Write it as/],
  ["X-Key: $MISSING", /needs the variable MISSING, which isn't set/],
  ["X-Key: @/no/such/file", /The file \/no\/such\/file for the header "X-Key" can't be read/],
  ["Host: evil.example", /which the connection sets itself/],
  ["X-Key: hunter2secret\nX-Other: 1", /characters that headers can't contain/],
])("rejects %j without quoting a secret", (text, reason) => {
  expect(() => readHeaders([text], {})).toThrow(reason);
  expect(() => readHeaders([text], {})).not.toThrow(/hunter2secret/);
});

test("rejects headers for programs, and credentials in an address", () => {
  expect(() => withHeaders(readTarget(["my-server"]), ["X-Key: 1"])).toThrow(
    /for servers at an address/,
  );
  expect(() => readTarget(["https://ann:pass@example.com/mcp"])).toThrow(/--header/);
});
