import { createHost } from "@vitrine/host";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { ConsentMemory } from "../src/consent/answers.ts";
import type { ConsentRequest, ConsentSubject, ViewOwner } from "../src/consent/consent.ts";
import { answersOf, createConsent } from "../src/consent/consent-memory.ts";
import { followPermissions, type Permissions } from "../src/consent/permission.ts";
import { listPermissions } from "../src/consent/permission-list.ts";
import { readKey } from "../src/consent/stored-key.ts";
import { memoryKeysOf } from "../src/consent/subject-key.ts";
import { tool } from "./scripted-upstream.ts";

const { signal } = new AbortController();
const ANN = { tenant: "acme", user: "ann" };

function requestOf(
  subject: ConsentSubject,
  owner: ViewOwner = ANN,
  conversation = "one",
): ConsentRequest {
  const view = { key: "1", server: "weather", conversation };
  return { ...subject, view, owner, userActive: true, signal };
}

const SUBJECTS: readonly ConsentSubject[] = [
  { kind: "tool", tool: tool("book"), arguments: {} },
  { kind: "app-tool", tool: tool("draw"), arguments: {} },
  { kind: "link", link: { href: "https://a.example/x", host: "a.example" } },
  { kind: "message", content: [] },
  { kind: "download", names: ["a"], size: 1 },
  { kind: "display-mode", mode: "pip" },
  { kind: "sampling", params: {} },
  { kind: "domains", domains: ["https://b.example", "https://a.example"] },
];

/** A consent that remembers every answer, and the permissions of Ann. */
function open(memory: ConsentMemory & Map<string, unknown> = new Map()) {
  let remember: "conversation" | "always" = "always";
  let allow = true;
  const consent = createConsent(() => ({ allow, remember }), {
    memory,
    rule: () => "ask",
  });
  const answers = answersOf(consent);
  if (!answers) throw new Error("A made consent has answers.");
  return {
    memory,
    permissions: listPermissions(answers, ANN),
    give: async (request: ConsentRequest, scope: typeof remember = "always", isAllowed = true) => {
      remember = scope;
      allow = isAllowed;
      await consent(request);
    },
  };
}

describe("the list of permissions", () => {
  test.each(SUBJECTS)("has an entry for $kind that can be revoked", async (subject) => {
    const { give, permissions, memory } = open();
    await give(requestOf(subject));
    const [entry, ...more] = await permissions.list();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ kind: subject.kind, server: "weather", scope: "always" });
    expect(entry?.allow).toBe(true);
    await permissions.revoke(entry ?? { id: "" });
    expect(memory.size).toBe(0);
    expect(await permissions.list()).toEqual([]);
  });

  test("names the tool, the site and the conversation", async () => {
    const { give, permissions } = open();
    for (const subject of SUBJECTS) await give(requestOf(subject), "conversation");
    const list = await permissions.list();
    expect(list.map(({ kind, subject }) => [kind, subject])).toEqual(
      expect.arrayContaining([
        ["tool", "book"],
        ["link", "https://a.example"],
        ["message", undefined],
        ["domains", "https://a.example https://b.example"],
      ]),
    );
    expect(new Set(list.map(({ conversation }) => conversation))).toEqual(new Set(["one"]));
  });

  test("has the answers of this user alone, and revokes no others", async () => {
    const { give, permissions, memory } = open();
    const [book] = SUBJECTS as [ConsentSubject];
    const others = [{}, { user: "ann" }, { tenant: "acme" }, { tenant: "acme", user: "bo" }];
    for (const owner of others) await give(requestOf(book, owner));
    expect(await permissions.list()).toEqual([]);
    await give(requestOf(book));
    const [entry] = await permissions.list();
    await permissions.revoke(entry ?? { id: "" });
    expect(memory.size).toBe(others.length);
  });

  test("shows one entry for all definitions of a tool, allowed if one of them is", async () => {
    const { give, permissions, memory } = open();
    for (const [description, isAllowed] of [
      ["Books", true],
      ["Books all", false],
    ] as const) {
      const kind = "tool" as const;
      const subject = { kind, tool: tool("book", { description }), arguments: {} };
      await give(requestOf(subject), "always", isAllowed);
    }
    expect(memory.size).toBe(2);
    const list = await permissions.list();
    expect(list.map(({ subject, allow }) => [subject, allow])).toEqual([["book", true]]);
    await permissions.revoke(list[0] ?? { id: "" });
    expect(memory.size).toBe(0);
  });

  test("after a revocation the user is asked again", async () => {
    const ask = vi.fn(() => ({ allow: true, remember: "always" as const }));
    const consent = createConsent(ask);
    const [book] = SUBJECTS as [ConsentSubject];
    const request = requestOf(book);
    await consent(request);
    const answers = answersOf(consent);
    const permissions = answers && listPermissions(answers, ANN);
    const [entry] = (await permissions?.list()) ?? [];
    await permissions?.revoke(entry ?? { id: "" });
    await consent(request);
    expect(ask).toHaveBeenCalledTimes(2);
  });

  test("ignores everything in a store that the host could not have written", async () => {
    const [book] = SUBJECTS as [ConsentSubject];
    const { always: key } = await memoryKeysOf(requestOf(book));
    const parts = JSON.parse(key) as unknown[];
    const put = (at: number, value: unknown) => JSON.stringify(parts.with(at, value));
    const hostile = [
      ...["", "null", "{}", "[]", "[3]", `${key} `, ` ${key}`, key.replace("3", "3.0")],
      ...[put(0, 2), put(0, "3"), put(1, null), put(1, "one"), put(1, [1]), put(1, ["a", "b"])],
      ...[put(2, 1), put(3, {}), put(4, null), put(5, "nothing"), put(5, "__proto__"), put(5, [])],
      ...[put(5, "message"), put(6, null), put(6, ["book"]), put(7, null), put(7, "0".repeat(63))],
      ...[JSON.stringify([...parts, 1]), JSON.stringify(parts.slice(0, 7))],
      put(4, "x".repeat(5000)),
    ];
    const memory = new Map<string, unknown>(hostile.map((one) => [one, true]));
    for (const value of ["true", 1, {}, null]) {
      memory.set(put(4, `server ${value}`), value);
    }
    const { permissions } = open(memory as never);
    expect(await permissions.list()).toEqual([]);
    memory.set(key, true);
    expect(await permissions.list()).toHaveLength(1);
  });

  test("is bounded", async () => {
    const [book] = SUBJECTS as [ConsentSubject];
    const { always: key } = await memoryKeysOf(requestOf(book));
    const parts = JSON.parse(key) as unknown[];
    const keys = Array.from({ length: 1500 }, (_, at) => JSON.stringify(parts.with(6, `t${at}`)));
    const { permissions } = open(new Map(keys.map((one) => [one, true])) as never);
    expect(await permissions.list()).toHaveLength(1000);
  });

  test("any other text in a store is ignored", () => {
    const text = fc.oneof(fc.json(), fc.string());
    fc.assert(
      fc.property(text, (key) => {
        expect(readKey(key)).toBeUndefined();
      }),
    );
  });

  test("reports each change, and stops after it is unsubscribed", async () => {
    const { give, permissions } = open();
    const listener = vi.fn();
    const stop = permissions.onChange(listener);
    const [book, , link] = SUBJECTS as [ConsentSubject, ConsentSubject, ConsentSubject];
    await give(requestOf(book));
    expect(listener).toHaveBeenCalledTimes(1);
    const [entry] = await permissions.list();
    await permissions.revoke(entry ?? { id: "" });
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    await give(requestOf(link));
    expect(listener).toHaveBeenCalledTimes(2);
  });

  test("a store that fails rejects a revocation, because the answer still holds", async () => {
    const memory = new Map<string, unknown>();
    const { give, permissions } = open(memory as never);
    await give(requestOf(SUBJECTS[0] as ConsentSubject));
    const [entry] = await permissions.list();
    memory.delete = () => {
      throw new Error("down");
    };
    await expect(permissions.revoke(entry ?? { id: "" })).rejects.toThrow("down");
  });
});

test("a host lists the answers that its memory has for its user", async () => {
  const memory = new Map<string, boolean>();
  const request = requestOf(SUBJECTS[0] as ConsentSubject);
  memory.set((await memoryKeysOf(request)).always, true);
  const options = { sandbox: "https://sandbox.example", consent: { memory } };
  const host = createHost({ ...options, ...ANN });
  const other = createHost({ ...options, tenant: "acme", user: "bo" });
  const changed = vi.fn();
  host.permissions.onChange(changed);
  const [entry] = await host.permissions.list();
  expect(entry).toMatchObject({ kind: "tool", server: "weather", subject: "book" });
  expect(await other.permissions.list()).toEqual([]);
  await other.permissions.revoke(entry ?? { id: "" });
  expect(memory.size).toBe(1);
  await host.permissions.revoke(entry ?? { id: "" });
  expect(memory.size).toBe(0);
  expect(changed).toHaveBeenCalledTimes(1);
});

test("a list that is read late doesn't replace a newer one", async () => {
  const reads: ((list: []) => void)[] = [];
  let change: () => void = () => {};
  const permissions = {
    list: () => new Promise<[]>((resolve) => reads.push(resolve)),
    onChange: (listener: () => void) => {
      change = listener;
      return () => {};
    },
  } as unknown as Permissions;
  const update = vi.fn();
  const stop = followPermissions(permissions, update);
  change();
  const [older, newer] = [[], []] as const;
  reads[1]?.(newer as never);
  reads[0]?.(older as never);
  await vi.waitFor(() => expect(update).toHaveBeenCalledTimes(1));
  expect(update.mock.calls[0]?.[0]).toBe(newer);
  change();
  stop();
  reads[2]?.([]);
  await new Promise((resolve) => setTimeout(resolve));
  expect(update).toHaveBeenCalledTimes(1);
});
