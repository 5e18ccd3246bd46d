import {
  useApp,
  useHostContext,
  useHostStyles,
  usePartialInput,
  useToolCall,
  useToolResult,
} from "@vitrine/view/react";
import { useEffect, useState } from "react";
import { ExpenseForm } from "./expense-form.tsx";
import { ExpenseList } from "./expense-list.tsx";
import type { Expenses, List } from "./expenses-types.ts";
import { Notice } from "./notice.tsx";

export function ExpensesView() {
  const { app, error } = useApp<Expenses>({
    appInfo: { name: "expenses", version: "1.0.0" },
    capabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  useHostStyles(app);
  const locale = useHostContext(app)?.locale;
  const { input, isComplete } = usePartialInput(app);
  const result = useToolResult(app);
  const again = useToolCall(app, "list-month");
  const [newer, setNewer] = useState<List>();
  const [isStopped, setStopped] = useState(false);

  useEffect(() => {
    if (app) app.ontoolcancelled = () => setStopped(true);
  }, [app]);

  const shown = newer ?? again.data ?? result?.structuredContent;
  if (shown?.kind === "list") {
    return <ExpenseList app={app} list={shown} locale={locale} onChange={setNewer} />;
  }
  // Only the input of "draft-expense" has a title. Its form fills in while the model writes.
  const draft = shown?.draft ?? (input && "title" in input ? input : undefined);
  if (draft && !result?.isError) {
    const isWritten = isComplete || isStopped;
    return <ExpenseForm app={app} draft={draft} isWritten={isWritten} onSave={setNewer} />;
  }
  return (
    <Notice
      result={result}
      isStopped={isStopped}
      error={error ?? again.error}
      onRetry={() => again.run({ month: "2026-11" })}
    />
  );
}
