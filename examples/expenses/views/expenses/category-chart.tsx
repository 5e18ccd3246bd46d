import type { Expense } from "./expenses-types.ts";

interface Props {
  expenses: Expense[];
  money: Intl.NumberFormat;
}

/** A bar for each category, the longest first. Each has its name and amount, so nothing depends on colour. */
export function CategoryChart({ expenses, money }: Props) {
  const sums = new Map<string, number>();
  for (const { category, amount } of expenses) {
    sums.set(category, (sums.get(category) ?? 0) + amount);
  }
  const bars = [...sums].sort(([, a], [, b]) => b - a);
  const longest = bars[0]?.[1] ?? 1;
  return (
    <ul className="chart" aria-label="Expenses by category">
      {bars.map(([category, amount]) => (
        <li key={category}>
          <span>{category}</span>
          <span className="bar" style={{ inlineSize: `${(amount / longest) * 100}%` }} />
          <span className="number">{money.format(amount)}</span>
        </li>
      ))}
    </ul>
  );
}
