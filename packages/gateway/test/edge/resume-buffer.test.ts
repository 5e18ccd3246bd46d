import { expect, test } from "vitest";
import { ResumeBuffer } from "../../src/edge/resume-buffer.ts";
import type { MessageText } from "../../src/json-rpc/serialize.ts";

const text = (value: string) => value as MessageText;

function recipient(user = "alice") {
  const sent: string[] = [];
  const caller = { party: "view", tenant: "default", user } as const;
  return { user, caller, sent, send: (text: string) => void sent.push(text) };
}

test("a response goes to the connection that sent the request, even if another connected with its ticket", () => {
  const resumeBuffer = new ResumeBuffer();
  const [one, other] = [recipient(), recipient()];
  const first = resumeBuffer.open("ticket", one);
  first.begin(1);
  first.end(1, text("first"));
  // Nothing is under way: there is nothing to take over.
  const second = resumeBuffer.open("ticket", other);
  expect(second.pending).toEqual([]);
  first.begin(2);
  second.begin(2);
  first.end(2, text("of the first"));
  second.end(2, text("of the second"));
  expect(one.sent).toEqual(["first", "of the first"]);
  expect(other.sent).toEqual(["of the second"]);
});

test("a request in progress when a connection broke is answered on the next one", async () => {
  const resumeBuffer = new ResumeBuffer();
  const [one, other] = [recipient(), recipient()];
  const first = resumeBuffer.open("ticket", one);
  first.begin(1);
  first.begin(2);
  first.disconnect(() => {});
  first.end(1, text("kept"));
  const second = resumeBuffer.open("ticket", other);
  expect(second.pending).toEqual([2, 1]);
  first.end(2, text("late"));
  await Promise.resolve();
  expect(other.sent.sort()).toEqual(["kept", "late"]);
  expect(one.sent).toEqual([]);
  resumeBuffer.close();
});

test("a connection that ends without requests in progress leaves no state", () => {
  const resumeBuffer = new ResumeBuffer();
  const lot = resumeBuffer.open("ticket", recipient());
  lot.begin(1);
  expect(resumeBuffer.busy()).toBe(true);
  lot.end(1, text("answer"));
  expect(resumeBuffer.busy()).toBe(false);
  let isGivenUp = false;
  lot.disconnect(() => {
    isGivenUp = true;
  });
  expect(isGivenUp).toBe(false);
  expect(resumeBuffer.open("ticket", recipient()).pending).toEqual([]);
});

test("cancels requests of a client that doesn't return, and immediately without a ticket", () => {
  const resumeBuffer = new ResumeBuffer();
  const lot = resumeBuffer.open(undefined, recipient());
  lot.begin(1);
  let isGivenUp = false;
  lot.disconnect(() => {
    isGivenUp = true;
  });
  expect(isGivenUp).toBe(true);
  expect(resumeBuffer.busy()).toBe(false);
});

test("182: answers that are kept for many tickets of a user take no more than the user's room", async () => {
  const resumeBuffer = new ResumeBuffer();
  const large = text("x".repeat(2 ** 19));
  const keep = (user: string, ticket: string): void => {
    const lot = resumeBuffer.open(ticket, recipient(user));
    lot.begin(1);
    lot.disconnect(() => {});
    lot.end(1, large);
  };
  const kept = (ticket: string): boolean => {
    const back = recipient();
    return resumeBuffer.open(ticket, { ...back, user: "mallory" }).pending.length > 0;
  };
  const tickets = Array.from({ length: 100 }, (_, at) => `ticket ${at}`);
  for (const ticket of tickets) keep("mallory", ticket);
  keep("alice", "of alice");
  const other = recipient();
  expect(resumeBuffer.open("of alice", other).pending).toEqual([1]);
  expect(tickets.filter(kept)).toHaveLength(8);
  // A client that reconnects frees the quota.
  keep("mallory", "later");
  expect(kept("later")).toBe(true);
  resumeBuffer.close();
});

test("a revoked user's requests are cancelled and their responses dropped at once", () => {
  const resumeBuffer = new ResumeBuffer();
  const cancelled: string[] = [];
  for (const user of ["alice", "bob"]) {
    const left = resumeBuffer.open(`ticket of ${user}`, recipient(user));
    left.begin(1);
    left.begin(2);
    left.disconnect(() => cancelled.push(user));
    left.end(1, text("kept"));
  }
  resumeBuffer.end(({ user }) => user === "alice");
  expect(cancelled).toEqual(["alice"]);
  expect(resumeBuffer.open("ticket of alice", recipient("alice")).pending).toEqual([]);
  expect(resumeBuffer.open("ticket of bob", recipient("bob")).pending).toEqual([2, 1]);
  resumeBuffer.close();
});
