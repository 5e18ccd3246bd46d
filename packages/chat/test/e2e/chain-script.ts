import type { ModelScript } from "../../../cli/src/chat/scripted-model/script.ts";

const PLAN = {
  call: "trips__plan_trip",
  arguments: {
    destination: "Oslo",
    days: 3,
    notes: "A quiet hotel near the water, with breakfast, and a museum for each afternoon.",
  },
  chunk: 4,
};

/** What the model answers in the tests of every chat. */
export const CHAIN_SCRIPT: ModelScript = {
  turns: [
    // A request without tools comes from a view.
    {
      when: { hasTool: false, user: "one sentence about" },
      reply: [{ text: "Oslo lies on a fjord." }],
    },
    // The test watches the form while this is being written, also on a slow machine.
    { when: { user: "plan a trip slowly" }, reply: [{ ...PLAN, pace: 150 }] },
    { when: { user: "plan a trip" }, reply: [{ ...PLAN, pace: 20 }] },
    { when: { after: "trips__plan_trip" }, reply: [{ text: "Here is your plan." }] },
    { when: { user: "weather there" }, reply: [{ text: "It is sunny in Oslo." }] },
    { when: { user: "what do I see" }, reply: [{ text: "You see a trip." }] },
    { when: { user: "second day" }, reply: [{ call: "app_*select_day", arguments: { day: 2 } }] },
    { when: { after: "app_*select_day" }, reply: [{ text: "The second day is selected." }] },
    {
      when: { user: "wait for an offer" },
      reply: [{ call: "trips__wait_for_offer", arguments: { destination: "Bergen" } }],
    },
    { when: { after: "trips__wait_for_offer" }, reply: [{ text: "There is an offer." }] },
  ],
};
