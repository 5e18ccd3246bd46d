// The end of a view, by its host and on its own request.

import { brief } from "../json.ts";
import { absent, broken, type Finding, holds, judge, type Scenario } from "../scenario.ts";
import type { HostSession } from "../targets/host-session.ts";
import type { HostTarget } from "../targets/host-target.ts";
import { withHost } from "./host-setup.ts";

const TEARDOWN = "ui/resource-teardown";
const WISH = "ui/notifications/request-teardown";
/** How long the view takes to agree. */
const THINKING = 400;

export const TEARDOWN_SCENARIOS: readonly Scenario<HostTarget>[] = [
  {
    title: "closes a view that takes some time to agree",
    rules: ["HST-49", "HST-50", "HST-51"],
    run: (target) =>
      withHost(target, { parts: { plan: { teardownAfter: THINKING } } }, async (session) => {
        await session.greeted();
        await session.quiet(200);
        if (session.has("close")) void session.driver.close?.(session.page).catch(() => {});
        else await session.send({ jsonrpc: "2.0", method: WISH });
        const end = await watchEnd(session);
        if (!end.isGone && !end.asked) {
          const note =
            "The driver can't close a view, and the host doesn't when the view asks for it.";
          return ["HST-49", "HST-50", "HST-51"].map((rule) => absent(rule, note));
        }
        return [judgeAsked("HST-49", end), tellReason(end), judgeWaiting("HST-51", end)];
      }),
  },
  {
    title: "lets a view ask to be closed",
    rules: ["HST-52", "HST-53", "HST-54"],
    run: (target) =>
      withHost(target, { parts: { plan: { teardownAfter: THINKING } } }, async (session) => {
        await session.greeted();
        await session.quiet(200);
        await session.send({ jsonrpc: "2.0", method: WISH });
        const end = await watchEnd(session);
        const isTaken = end.isGone || end.asked;
        const note = "The host doesn't close a view that asks for it, which is allowed.";
        return [
          holds("HST-52", isTaken ? "The host closes the view." : "The host does nothing."),
          isTaken ? judgeAsked("HST-53", end) : absent("HST-53", note),
          isTaken ? judgeWaiting("HST-54", end) : absent("HST-54", note),
        ];
      }),
  },
];

interface End {
  /** Whether the view got the teardown request. */
  asked: boolean;
  reason: unknown;
  /** Whether it answered before it was gone. */
  answered: boolean;
  isGone: boolean;
}

/** Waits until the view's frame is gone, and for the messages before that. */
async function watchEnd(session: HostSession): Promise<End> {
  const view = await session.view();
  const until = Date.now() + 4000;
  while (!view.isDetached() && Date.now() < until) {
    await session.quiet(25);
    const isAsked = session.messages("in", TEARDOWN).length > 0;
    // Nothing happens at all: the host declines.
    if (!isAsked && until - Date.now() < 2000) break;
  }
  await session.quiet(100);
  const [request] = session.messages("in", TEARDOWN);
  const answer = session
    .messages("out")
    .some(({ id, method }) => !method && request !== undefined && id === request.id);
  return {
    asked: request !== undefined,
    reason: request?.params?.reason,
    answered: answer,
    isGone: view.isDetached(),
  };
}

function judgeAsked(rule: string, { asked }: End): Finding {
  return judge(
    rule,
    asked ? [] : [`the view was gone without ${TEARDOWN}`],
    `${TEARDOWN} came first.`,
  );
}

function tellReason({ asked, reason }: End): Finding {
  if (!asked) return absent("HST-50", `${TEARDOWN} never came.`);
  return holds(
    "HST-50",
    reason === undefined ? "No reason is given." : `The reason: ${brief(reason)}.`,
  );
}

function judgeWaiting(rule: string, { asked, answered, isGone }: End): Finding {
  if (!asked) return absent(rule, `${TEARDOWN} never came.`);
  if (!isGone) return broken(rule, "the view agreed, but its frame stayed");
  const faults = answered
    ? []
    : [`the frame was gone before the view had answered, in ${THINKING} ms`];
  return judge(rule, faults, `The frame stayed for the ${THINKING} ms that the view took.`);
}
