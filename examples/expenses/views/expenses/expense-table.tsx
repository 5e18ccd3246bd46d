import type { Expense } from "./expenses-types.ts";

const STATUS = { open: "To approve", approved: "✓ Approved", rejected: "✕ Rejected" };

interface Props {
  expenses: Expense[];
  money: Intl.NumberFormat;
  day: Intl.DateTimeFormat;
  onDecide(id: string, decision: "approved" | "rejected"): void;
}

export function ExpenseTable({ expenses, money, day, onDecide }: Props) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Expense</th>
          <th scope="col">Date</th>
          <th scope="col" className="number">
            Amount
          </th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {expenses.map(({ id, title, person, category, date, amount, status }) => (
          <tr key={id}>
            <th scope="row">
              {title}
              <small>
                {person} · {category}
              </small>
            </th>
            <td>{day.format(new Date(date))}</td>
            <td className="number">{money.format(amount)}</td>
            <td>
              {status === "open" ? (
                <span className="actions">
                  <button
                    type="button"
                    aria-label={`Approve ${title}`}
                    onClick={() => onDecide(id, "approved")}
                  >
                    Approve
                  </button>
                  <button
                    type="button"
                    aria-label={`Reject ${title}`}
                    onClick={() => onDecide(id, "rejected")}
                  >
                    Reject
                  </button>
                </span>
              ) : (
                <span className={`chip ${status}`}>{STATUS[status]}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
