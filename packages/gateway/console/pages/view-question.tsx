import { change } from "../api.ts";
import type { ViewRow } from "../api-types.ts";
import type { Question } from "../parts/dialog.tsx";
import { Text } from "../parts/text.tsx";

/** Asks before a view ends. */
export function endViewQuestion({ id, user, resource }: ViewRow): Question {
  return {
    title: "End this view?",
    confirm: "End view",
    isDangerous: true,
    body: (
      <p>
        <Text value={resource} /> stops working for <Text value={user} />: its ticket is rejected
        and its running calls are cancelled. The user can open it again after a minute.
      </p>
    ),
    act: async () => {
      await change(`/api/views/${encodeURIComponent(id)}/end`);
      return "The view was ended.";
    },
  };
}
