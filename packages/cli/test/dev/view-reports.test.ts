import { expect, test } from "vitest";
import { watchReports } from "../../pages/dev/view-reports.ts";
import { AGENT_MARK } from "../../src/frame/frame-agent.ts";

/** A page with the sandbox's frame, a view in it, and a frame of the view's own. */
function frames() {
  const page = new EventTarget() as EventTarget & { parent?: unknown };
  page.parent = page;
  const relay = { parent: page };
  const view = { parent: relay };
  const send = (data: unknown, source: unknown): void => {
    page.dispatchEvent(Object.assign(new Event("message"), { data, source }));
  };
  const received: string[] = [];
  let views = 0;
  watchReports(page as never, {
    onView: () => {
      views++;
      received.length = 0;
    },
    onReport: (message) => received.push(message),
  });
  return { page, relay, view, inner: { parent: view }, send, received, views: () => views };
}

test("receives reports of views, and of no other window", () => {
  const { page, relay, view, inner, send, received } = frames();
  const message = `${AGENT_MARK}{}`;
  for (const source of [page, relay, inner, null]) send(message, source);
  expect(received).toEqual([]);
  send(message, view);
  send({ message }, view);
  send("hello", view);
  expect(received).toEqual([message]);
});

test("takes so many reports of a view, however many it sends, and no long ones", () => {
  const { view, send, received } = frames();
  send(`${AGENT_MARK}${"x".repeat(100_000)}`, view);
  for (let count = 0; count < 10_000; count++) send(`${AGENT_MARK}{}`, view);
  expect(received.length).toBeLessThanOrEqual(2_600);
});

test("starts again with the next view, and no longer listens to the last one", () => {
  const { relay, view, send, received, views } = frames();
  send(`${AGENT_MARK}1`, view);
  send(`${AGENT_MARK}2`, { parent: relay });
  send(`${AGENT_MARK}3`, view);
  expect(views()).toBe(2);
  expect(received).toEqual([`${AGENT_MARK}2`]);
});
