import { expect, test } from "vitest";
import { Parking } from "../../src/carriers/parking.ts";
import type { MessageText } from "../../src/json-rpc/serialize.ts";

const text = (value: string) => value as MessageText;

function recipient(user = "alice") {
  const told: string[] = [];
  return { user, told, tell: (text: string) => void told.push(text) };
}

test("an answer goes to the connection that asked, though another has come under its ticket since", () => {
  const parking = new Parking();
  const [one, other] = [recipient(), recipient()];
  const first = parking.open("ticket", one);
  first.begin(1);
  first.end(1, text("first"));
  // Nothing is under way: there is nothing to take over.
  expect(parking.find("ticket", other)).toBeUndefined();
  const second = parking.open("ticket", other);
  first.begin(2);
  second.begin(2);
  first.end(2, text("of the first"));
  second.end(2, text("of the second"));
  expect(one.told).toEqual(["first", "of the first"]);
  expect(other.told).toEqual(["of the second"]);
});

test("what was under way when a connection broke is answered to the next one", async () => {
  const parking = new Parking();
  const [one, other] = [recipient(), recipient()];
  const first = parking.open("ticket", one);
  first.begin(1);
  first.begin(2);
  first.leave(() => {});
  first.end(1, text("kept"));
  const second = parking.find("ticket", other);
  expect(second?.pending).toEqual([2, 1]);
  first.end(2, text("late"));
  await Promise.resolve();
  expect(other.told.sort()).toEqual(["kept", "late"]);
  expect(one.told).toEqual([]);
  parking.close();
});

test("a connection that ends with nothing under way leaves nothing behind", () => {
  const parking = new Parking();
  const lot = parking.open("ticket", recipient());
  lot.begin(1);
  expect(parking.busy()).toBe(true);
  lot.end(1, text("answer"));
  expect(parking.busy()).toBe(false);
  let isGivenUp = false;
  lot.leave(() => {
    isGivenUp = true;
  });
  expect(isGivenUp).toBe(false);
  expect(parking.find("ticket", recipient())).toBeUndefined();
});

test("what nobody comes back for is given up, at once where there is no ticket", () => {
  const parking = new Parking();
  const lot = parking.open(undefined, recipient());
  lot.begin(1);
  let isGivenUp = false;
  lot.leave(() => {
    isGivenUp = true;
  });
  expect(isGivenUp).toBe(true);
  expect(parking.busy()).toBe(false);
});

test("182: answers that are kept for many tickets of a user take no more than the user's room", async () => {
  const parking = new Parking();
  const large = text("x".repeat(2 ** 19));
  const keep = (user: string, ticket: string): void => {
    const lot = parking.open(ticket, recipient(user));
    lot.begin(1);
    lot.leave(() => {});
    lot.end(1, large);
  };
  const kept = (ticket: string): boolean => {
    const back = recipient();
    return parking.find(ticket, { ...back, user: "mallory" }) !== undefined;
  };
  const tickets = Array.from({ length: 100 }, (_, at) => `ticket ${at}`);
  for (const ticket of tickets) keep("mallory", ticket);
  keep("alice", "of alice");
  const other = recipient();
  expect(parking.find("of alice", other)?.pending).toEqual([1]);
  expect(tickets.filter(kept)).toHaveLength(8);
  // Whoever comes back frees the room.
  keep("mallory", "later");
  expect(kept("later")).toBe(true);
  parking.close();
});
