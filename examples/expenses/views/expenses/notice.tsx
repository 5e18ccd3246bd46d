import type { CallToolResult } from "@vitrine/view/react";

interface Props {
  result: CallToolResult | undefined;
  isStopped: boolean;
  error: Error | null | undefined;
  onRetry(): void;
}

/** What to show without expenses: that they are coming, or why they aren't, and a way out. */
export function Notice({ result, isStopped, error, onRetry }: Props) {
  const [first] = result?.content ?? [];
  const reason = first?.type === "text" ? first.text : "The server sent no expenses.";
  const problem = error?.message ?? (isStopped ? "You stopped this." : result && reason);
  if (problem === undefined) {
    return (
      <main aria-busy="true">
        <h1>Expenses</h1>
        <p role="status">Loading the expenses …</p>
        <div className="skeleton" />
      </main>
    );
  }
  return (
    <main>
      <h1>Expenses</h1>
      <p role="alert">{problem}</p>
      <button type="button" className="primary" onClick={onRetry}>
        Show this month
      </button>
    </main>
  );
}
