import { hash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AuditEntry, encodeRecord } from "../../src/audit/record.ts";
import { redact } from "../../src/audit/redaction.ts";
import { scrub } from "../../src/audit/secret-text.ts";

function nest(depth: number): unknown {
  let value: unknown = "deep";
  for (let n = 0; n < depth; n++) value = n % 2 ? [value] : { a: value };
  return value;
}

const redacted = (value: unknown, schema?: unknown): unknown =>
  JSON.parse(JSON.stringify(redact(value, schema).value));

// The short ones, which no run of characters gives away: a text is read for the beginnings of such words first.
test.for([
  ["password is ", "hunter2"],
  ["passwd=", "hunter2"],
  ["passphrase: ", "hunter2"],
  ["pwd=", "hunter2"],
  ["secret: ", "abc1"],
  ["token = ", "abc1"],
  ["api key: ", "abc1"],
  ["private-key=", "abc1"],
  ["credential: ", "abc1"],
  ["pin: ", "1234"],
  ["otp=", "123456"],
  ["bearer ", "abc123"],
  ["basic ", "dTpw"],
  ["digest ", "abc123"],
  ["negotiate ", "abc123"],
  ["cookie: ", "a=b"],
  ["authorization: ", "x y"],
  ["ftp://u:", "hunter2"],
] as const)(
  "what %s announces is taken out, in any case and wherever it stands",
  ([words, secret]) => {
    const end = words.startsWith("ftp") ? "@host" : "";
    for (const said of [
      words,
      words.toUpperCase(),
      `${words[0]?.toUpperCase()}${words.slice(1)}`,
    ]) {
      for (const before of ["", "x ", "Ωµ ", "My "]) {
        expect(scrub(`${before}${said}${secret}${end}`)).not.toContain(secret);
      }
    }
  },
);

describe("by the name of the key", () => {
  test.for([
    "password",
    "userPassword",
    "passwd",
    "PWD",
    "passphrase",
    "token",
    "access_token",
    "X-Auth-Token",
    "clientSecret",
    "Authorization",
    "cookie",
    "Set-Cookie",
    "key",
    "apiKey",
    "api-key",
    "API_KEY",
    "sshPrivateKey",
    "keys",
    "credentials",
    "sessionId",
    "session",
    "jwt",
    "otp",
    "pin",
    "cvv",
    "ｐａｓｓｗｏｒｄ",
  ])("%s is a secret", (key) => {
    expect(redacted({ [key]: "hunter2" })).toEqual({ [key]: "[redacted]" });
    expect(redacted({ deep: [{ [key]: { a: ["hunter2", 42] } }] })).toEqual({
      deep: [{ [key]: "[redacted]" }],
    });
    expect(redacted({ [key]: 1234 })).toEqual({ [key]: "[redacted]" });
  });

  test("keeps ordinary names, and shows that there is a secret", () => {
    const value = {
      city: "Tromsø",
      keyboard: "qwerty",
      spinner: true,
      passengers: 3,
      author: "Ann",
      hasPassword: true,
      password: null,
    };
    expect(redacted(value)).toEqual(value);
  });
});

describe("by the tool's schema", () => {
  const secret = { type: "string", format: "password" };

  test("a password format or writeOnly is a secret wherever the schema puts it", () => {
    const schema = {
      type: "object",
      $defs: { pass: secret, loop: { properties: { next: { $ref: "#/$defs/loop" }, x: secret } } },
      properties: {
        login: { type: "string" },
        a: secret,
        b: { writeOnly: true, type: "object" },
        c: { $ref: "#/$defs/pass" },
        d: { anyOf: [{ type: "number" }, { allOf: [secret] }] },
        list: { type: "array", items: { properties: { x: secret, y: {} } } },
        tuple: { prefixItems: [{}, secret] },
        old: { items: [{}, secret] },
        loop: { $ref: "#/$defs/loop" },
        cond: { if: {}, else: { properties: { x: secret } } },
        pattern: { patternProperties: { "(a+)+$": secret } },
        more: { additionalProperties: secret },
      },
    };
    const out = "[redacted]";
    const value = {
      login: "ann",
      a: "s1",
      b: { inner: "s2" },
      c: "s3",
      d: "s4",
      list: [{ x: "s5", y: "keep" }],
      tuple: ["keep", "s6"],
      old: ["keep", "s7"],
      loop: { next: { next: { x: "s8" } } },
      cond: { x: "s9" },
      pattern: { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: "s10" },
      more: { any: "s11" },
    };
    expect(redacted(value, schema)).toEqual({
      login: "ann",
      a: out,
      b: out,
      c: out,
      d: out,
      list: [{ x: out, y: "keep" }],
      tuple: ["keep", out],
      old: ["keep", out],
      loop: { next: { next: { x: out } } },
      cond: { x: out },
      pattern: { aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: out },
      more: { any: out },
    });
  });

  test("treats values as secret if their schema is too complex", () => {
    const branches = Array.from({ length: 200 }, (_, n) => ({ title: String(n) }));
    const schema = { properties: { x: { oneOf: branches }, y: {}, z: secret } };
    expect(redacted({ x: "unclear", y: "clear" }, schema)).toEqual({ x: "[redacted]", y: "clear" });
  });

  test.for([null, true, "x", 3, [], { $ref: "#/nowhere" }, { $ref: "https://elsewhere/s" }])(
    "%j as a schema does no harm",
    (schema) => {
      expect(redacted({ a: "b" }, schema)).toEqual({ a: "b" });
    },
  );
});

describe("by the form of a text", () => {
  test.for([
    ["Bearer abcdef123", "Bearer [redacted]"],
    ["Authorization: Basic dXNlcjpwYXNz", "Authorization: [redacted]"],
    ["Cookie: a=1; b=2", "Cookie: [redacted]"],
    ["https://ann:hunter2@example.com/x", "https://[redacted]@example.com/x"],
    ["https://example.com/?token=hunter2&x=1", "https://example.com/?token=[redacted]&x=1"],
    ["my password is hunter2 thanks", "my password is [redacted] thanks"],
    ['{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted]\\"}'],
    ["password%3Dhunter2", "password%3D[redacted]"],
    ["-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "[redacted]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[redacted]"],
    ["key AKIAIOSFODNN7EXAMPLE here", "key [redacted] here"],
    ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[redacted]"],
    ["sk-proj-4f9a8b7c6d5e4f3a", "[redacted]"],
    ["id 9f86d081884c7d659a2feaa0c55ad015 end", "id [redacted] end"],
  ])("%j becomes %j", ([text, kept]) => {
    expect(scrub(text as string)).toBe(kept);
  });

  test.for([
    "The weather in Tromsø is fine.",
    "internationalization of applications",
    "src/components/profile/index.tsx",
    "https://example.com/articles/2026/11/a-long-title-about-nothing",
    "2026-11-14T08:00:00.000Z",
    "123e4567-e89b-12d3-a456-426614174000",
    "ui://weather-station/forecast.html",
    "notifications/resources/list_changed",
    "123456789012345678901234567890",
  ])("%j is left alone", (text) => {
    expect(scrub(text)).toBe(text);
  });

  test("detects nearly all of ten thousand random tokens", () => {
    for (const encoding of ["base64url", "hex", "base64"] as const) {
      let missed = 0;
      for (let n = 0; n < 10_000; n++) {
        const token = randomBytes(24).toString(encoding);
        if (scrub(`use ${token} for it`).includes(token.slice(0, 12))) missed += 1;
      }
      expect([encoding, missed < 20]).toEqual([encoding, true]);
    }
  });
});

describe("whatever it is given", () => {
  test("never reveals a canary, wherever it was put", () => {
    const canary = fc
      .uint8Array({ minLength: 24, maxLength: 40 })
      .map((bytes) => `ghp_${Buffer.from(bytes).toString("hex")}7aZ`);
    const secretKey = fc.constantFrom("password", "apiKey", "refresh_token", "Cookie", "secret");
    const low = fc.stringMatching(/^canary-[a-z]{8}$/);
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.record({ note: canary.map((text) => `please use ${text} now`) }),
        canary,
        fc.tuple(canary, fc.nat()).map(([key, n]) => ({ [key]: n })),
        fc.tuple(secretKey, low).map(([key, text]) => ({ [key]: text })),
        fc.tuple(secretKey, low).map(([key, text]) => ({ [key]: [{ deep: text }] })),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 6 }), tie("tree"), { maxKeys: 4 }),
      ),
    })).tree;
    fc.assert(
      fc.property(value, canary, (given, tool) => {
        const entry: AuditEntry = {
          event: "request",
          method: `tools/${tool}`,
          tool,
          arguments: given,
          answer: { message: { result: { content: given } } },
          detail: { given },
        };
        for (const level of ["meta", "digest", "full"] as const) {
          const line = encodeRecord(entry, { sequence: 1, time: "t", level });
          expect(line).not.toMatch(/ghp_[0-9a-f]{8}|canary-[a-z]{8}/);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("keeps values without secrets unchanged, including prototype keys", () => {
    const words = fc.constantFrom("Tromsø", "fine", "", "wind", "a b c", "__proto__", "toJSON");
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        words,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.array(fc.tuple(words, tie("tree")), { maxLength: 4 }).map((members) => {
          return JSON.parse(
            `{${members.map(([key, part]) => `${JSON.stringify(key)}:${JSON.stringify(part)}`).join()}}`,
          );
        }),
      ),
    })).tree;
    fc.assert(
      fc.property(value, (given) => {
        const result = redact(given);
        expect(JSON.stringify(result.value)).toBe(JSON.stringify(given));
        expect([result.redacted, result.cut]).toEqual([0, false]);
      }),
    );
  });

  test.for<[string, () => unknown]>([
    ["a hundred thousand levels", () => nest(100_000)],
    ["a million items", () => new Array(1_000_000).fill("item")],
    [
      "two hundred thousand keys",
      () => Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [`k${n}`, n])),
    ],
    ["ten megabytes of a single character", () => "a".repeat(10_000_000)],
    ["half an address, many times", () => "://a:".repeat(400_000)],
    ["beginnings of keys", () => "-----BEGIN A-----".repeat(100_000)],
    ["announcements of nothing", () => "password is ".repeat(100_000)],
    ["beginnings of tokens", () => "eyJaaaaaaaa.".repeat(100_000)],
    ["marks of makers", () => "sk-a".repeat(300_000)],
    ["blanks", () => `bearer${" ".repeat(1_000_000)}`],
  ])("%s cost a bounded time", ([, make]) => {
    const given = make();
    redact({ warm: "up" });
    const before = process.cpuUsage();
    const { value, cut } = redact(given);
    const json = JSON.stringify(value);
    const { user } = process.cpuUsage(before);
    expect(cut).toBe(true);
    expect(json.length).toBeLessThan(100_000);
    // Without bounds these take seconds to minutes.
    expect(user / 1_000).toBeLessThan(500);
  });

  test("doesn't keep half of a secret where a long text is cut", () => {
    for (let length = 16_384 - 60; length < 16_384; length++) {
      const text = `${"word ".repeat(4_000).slice(0, length)} ghp_16C7e42F292c6912E7710c838347Ae178B4a end`;
      expect(JSON.stringify(redact(text).value)).not.toMatch(/ghp_16|C7e42F/);
    }
  });
});

describe("a line of the log", () => {
  test.for([
    'x"}\n00000000 {"sequence":2,"event":"operator"}',
    "x\r\nend 0000",
    "a\u2028b\u2029c\u0085d",
    "\u001b[2J\u001b]0;owned\u0007 \u009b31m",
    "\u202eevil\u2066 \u200b\ufeff \u{e0041}",
    "\ud800 lone",
  ])("%j stays one line of printable ASCII (G143)", (hostile) => {
    const entry: AuditEntry = {
      event: "request",
      actor: { tenant: hostile, user: hostile, view: hostile },
      server: hostile,
      method: hostile,
      tool: hostile,
      decision: { verdict: "deny", link: hostile, code: hostile },
      arguments: { [hostile]: hostile },
      outcome: { kind: hostile, code: hostile },
      trace: hostile,
      detail: { [hostile]: hostile },
    };
    const line = encodeRecord(entry, { sequence: 1, time: "t", level: "full" });
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    const back = JSON.parse(line);
    expect(back.actor.user).toBe(hostile);
    expect(back.sequence).toBe(1);
  });

  test("truncates names, hashes arguments as received, and keeps what each level defines", () => {
    const entry: AuditEntry = {
      event: "answer",
      actor: { tenant: "t1", user: "9f86d081884c7d659a2feaa0c55ad015" },
      tool: "x".repeat(10_000),
      arguments: { b: 1, a: "é" },
      answer: { message: { result: { ok: true } } },
      sizes: { received: 10, sent: 20 },
      duration: 1.23456,
      trace: "4bf92f3577b34da6a3ce929d0e0e4736",
    };
    const at = (level: "meta" | "digest" | "full", digestKey?: Uint8Array) =>
      JSON.parse(encodeRecord(entry, { sequence: 7, time: "t", level, digestKey }));
    expect(at("meta")).toEqual({
      sequence: 7,
      time: "t",
      event: "answer",
      actor: { tenant: "t1", user: "9f86d081884c7d659a2feaa0c55ad015" },
      tool: `${"x".repeat(200)}…`,
      sizes: { received: 10, sent: 20 },
      duration: 1.235,
      trace: "4bf92f3577b34da6a3ce929d0e0e4736",
    });
    const { argumentsHash, arguments: none } = at("digest");
    expect(argumentsHash).toBe(hash("sha256", '{"b":1,"a":"é"}', "hex"));
    expect(none).toBeUndefined();
    expect(at("digest", randomBytes(32)).argumentsHash).not.toBe(argumentsHash);
    const { arguments: kept, result } = at("full");
    expect([kept, result]).toEqual([{ b: 1, a: "é" }, { ok: true }]);
    const level = encodeRecord(
      { ...entry, arguments: nest(100_000) },
      { sequence: 1, time: "t", level: "full" },
    );
    expect(JSON.parse(level).argumentsHash).toBe("unreadable");
  });

  test.for([
    [{ city: "Graz" }, false],
    [{ city: "Graz", password: "hunter2" }, true],
    [{ note: "the token is 9f8e7d6c5b4a" }, true],
    [{ note: "word ".repeat(10_000) }, true],
  ] as const)("the hash stands for what is not there: %j", ([given, isHashed]) => {
    const at = (level: "digest" | "full") =>
      JSON.parse(
        encodeRecord({ event: "request", arguments: given }, { sequence: 1, time: "t", level }),
      );
    expect(at("full").argumentsHash).toBe(isHashed ? at("digest").argumentsHash : undefined);
  });
});
