import { type App, useDisplayMode, useToolCall, useViewState } from "@vitrine/view/react";
import { CategoryChart } from "./category-chart.tsx";
import { ExpenseTable } from "./expense-table.tsx";
import type { Expenses, List } from "./expenses-types.ts";

const FILTERS = { all: "All", open: "To approve", approved: "Approved", rejected: "Rejected" };

interface Props {
  app: App<Expenses> | null;
  list: List;
  locale: string | undefined;
  onChange(list: List): void;
}

export function ExpenseList({ app, list, locale, onChange }: Props) {
  const other = useToolCall(app, "list-month");
  const status = useToolCall(app, "set-status");
  const { mode, available, request } = useDisplayMode(app);
  const [filter, setFilter, isRestored] = useViewState<keyof typeof FILTERS>(app, "filter", "all", {
    model: (shown) => `The user sees the expenses of ${list.month}, filter: ${FILTERS[shown]}.`,
  });

  const money = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const title = new Intl.DateTimeFormat(locale, {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const total = list.expenses.reduce((sum, { amount }) => sum + amount, 0);
  const shown = list.expenses.filter((one) => filter === "all" || one.status === filter);
  const error = other.error ?? status.error;

  async function turn(months: number) {
    const date = new Date(`${list.month}-01`);
    date.setUTCMonth(date.getUTCMonth() + months);
    const answer = await other.run({ month: date.toISOString().slice(0, 7) });
    if (answer?.structuredContent) onChange(answer.structuredContent);
  }

  async function decide(id: string, decision: "approved" | "rejected") {
    const answer = await status.run({ id, status: decision });
    if (answer?.structuredContent) onChange(answer.structuredContent);
  }

  return (
    <main aria-busy={other.isPending}>
      <header>
        <h1>{title.format(new Date(`${list.month}-01`))}</h1>
        <button type="button" aria-label="Previous month" onClick={() => turn(-1)}>
          ‹
        </button>
        <button type="button" aria-label="Next month" onClick={() => turn(1)}>
          ›
        </button>
        {mode === "inline" && available.includes("fullscreen") && (
          <button type="button" onClick={() => request("fullscreen")}>
            Enlarge
          </button>
        )}
      </header>
      <p>
        <strong>{money.format(total)}</strong> of {money.format(list.budget)}
      </p>
      {list.expenses.length > 0 && <CategoryChart expenses={list.expenses} money={money} />}
      <fieldset aria-label="Filter" className="filters">
        {Object.entries(FILTERS).map(([name, label]) => (
          <button
            key={name}
            type="button"
            disabled={!isRestored}
            aria-pressed={filter === name}
            onClick={() => setFilter(name as keyof typeof FILTERS)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      {shown.length > 0 ? (
        <ExpenseTable expenses={shown} money={money} day={day} onDecide={decide} />
      ) : (
        <p role="status">
          {list.expenses.length === 0 ? "No expenses in this month yet." : "None here."}
        </p>
      )}
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}
