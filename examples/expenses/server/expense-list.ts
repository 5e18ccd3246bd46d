// The expenses of a small company. They are in memory; a real app asks its database.

export type Category = "Travel" | "Meals" | "Software" | "Equipment";
export type Status = "open" | "approved" | "rejected";

export interface Draft {
  title: string;
  amount: number;
  category: Category;
  date: string;
}

export interface Expense extends Draft {
  id: string;
  person: string;
  status: Status;
}

const all: Expense[] = [
  row("1", "2026-11-03", "Train to Vienna", 89.4, "Travel", "Ana Pop", "approved"),
  row("2", "2026-11-05", "Design software, yearly", 264, "Software", "Ben Okafor", "open"),
  row("3", "2026-11-09", "Team lunch", 142.5, "Meals", "Chiara Riva", "open"),
  row("4", "2026-11-12", "Ergonomic chair", 489, "Equipment", "Dan Wu", "open"),
  row("5", "2026-11-14", "Taxi to the airport", 38.2, "Travel", "Ana Pop", "rejected"),
  row("6", "2026-10-08", "Hotel in Graz", 312, "Travel", "Ben Okafor", "approved"),
  row("7", "2026-10-21", "Coffee beans", 46.8, "Meals", "Chiara Riva", "approved"),
];

/** The expenses of a month such as 2026-11, the newest first. */
export function expensesOf(month: string): Expense[] {
  const found = all.filter(({ date }) => date.startsWith(month));
  return found.sort((a, b) => b.date.localeCompare(a.date));
}

/** Adds an expense, which waits for approval. */
export function addExpense(draft: Draft): void {
  all.push({ ...draft, id: String(all.length + 1), person: "You", status: "open" });
}

/** Approves or rejects an expense. Returns it, or nothing if it doesn't exist. */
export function setStatus(id: string, status: Status): Expense | undefined {
  const expense = all.find((one) => one.id === id);
  if (expense) expense.status = status;
  return expense;
}

function row(
  ...[id, date, title, amount, category, person, status]: [
    string,
    string,
    string,
    number,
    Category,
    string,
    Status,
  ]
): Expense {
  return { id, date, title, amount, category, person, status };
}
