import { useCallback, useRef, useState } from "preact/hooks";
import { inSentence } from "../../src/templates/plain-data.ts";
import { nodeIdOf, type Tree } from "../../src/templates/tree-view-data.ts";
import { cut, textOf, useShell, useToolCall } from "../shell/shell.tsx";

/** The selected node, and the Server's response. */
export interface Selection {
  selected: number | undefined;
  isPending: boolean;
  failure: { label: string; text: string } | undefined;
  answer: string;
  select(index: number): void;
  retry(): void;
}

/**
 * Selects at once and calls the Server afterwards. While a call is pending, only the last choice waits;
 * a selection that the Server refuses is undone.
 */
export function useSelection(tree: Tree, tool: string | undefined): Selection {
  const { label, announce, tellModel } = useShell();
  const { state, call } = useToolCall();
  const [selected, setSelected] = useState<number>();
  const [isPending, setPending] = useState(false);
  const [failed, setFailed] = useState<number>();
  const last = useRef<{ wanted?: number; confirmed?: number; isBusy?: boolean }>({});

  const select = useCallback(
    async (index: number) => {
      const { current } = last;
      current.wanted = index;
      setSelected(index);
      setFailed(undefined);
      if (current.isBusy) return;
      current.isBusy = true;
      setPending(tool !== undefined);
      let sent: number | undefined;
      let isTaken = true;
      while (sent !== current.wanted) {
        sent = current.wanted as number;
        const name = cut(tree.items[sent]?.label ?? "", 80);
        const nodeId = nodeIdOf(tree, sent);
        if (tool !== undefined) {
          announce(label("selecting", { label: name }));
          isTaken = (await call(tool, { nodeId })) !== undefined;
        }
        if (isTaken) {
          current.confirmed = sent;
          announce(label("selected", { label: name }));
          tellModel(`Selected: ${name} (${cut(nodeId, 200)})`);
        }
      }
      current.isBusy = false;
      setPending(false);
      if (!isTaken) {
        setFailed(sent);
        setSelected(current.confirmed);
      }
    },
    [tree, tool, call, announce, tellModel, label],
  );
  const failedItem = failed === undefined ? undefined : tree.items[failed];
  return {
    selected,
    isPending,
    failure: failedItem && {
      label: inSentence(failedItem.label, 80),
      text: state.status === "failed" ? state.text : "",
    },
    answer: state.status === "done" && !isPending ? textOf(state.result) : "",
    select,
    retry: () => failed !== undefined && select(failed),
  };
}
