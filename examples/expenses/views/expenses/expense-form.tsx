import { type App, useToolCall } from "@vitrine/view/react";
import { type FormEvent, useState } from "react";
import type { Draft, Expenses, List } from "./expenses-types.ts";

const CATEGORIES: Draft["category"][] = ["Travel", "Meals", "Software", "Equipment"];

interface Props {
  app: App<Expenses> | null;
  /** What the model has written so far. */
  draft: Partial<{ [Field in keyof Draft]: Draft[Field] | undefined }>;
  /** Whether the model has finished writing. */
  isWritten: boolean;
  onSave(list: List): void;
}

export function ExpenseForm({ app, draft, isWritten, onSave }: Props) {
  const { run, isPending, error } = useToolCall(app, "save-expense");
  // The user's changes win over what the model wrote.
  const [changes, setChanges] = useState<Props["draft"]>({});
  const { title = "", amount, category = "Travel", date = "" } = { ...draft, ...changes };
  const change = (fields: Props["draft"]) => setChanges({ ...changes, ...fields });

  async function save(event: FormEvent) {
    event.preventDefault();
    const result = await run({ title, amount: amount ?? 0, category, date });
    if (result?.structuredContent) onSave(result.structuredContent);
  }

  return (
    <main>
      <h1>New expense</h1>
      <form onSubmit={save}>
        <fieldset disabled={!isWritten || isPending}>
          <label>
            Purchase
            <input
              required
              maxLength={80}
              value={title}
              onChange={({ target }) => change({ title: target.value })}
            />
          </label>
          <label>
            Amount in euros
            <input
              required
              type="number"
              min="0.01"
              step="0.01"
              value={amount ?? ""}
              onChange={({ target }) => change({ amount: target.valueAsNumber || undefined })}
            />
          </label>
          <label>
            Category
            <select
              value={category}
              onChange={({ target }) => change({ category: target.value as Draft["category"] })}
            >
              {CATEGORIES.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label>
            Date
            <input
              required
              type="date"
              value={date}
              onChange={({ target }) => change({ date: target.value })}
            />
          </label>
          <button type="submit" className="primary">
            {isPending ? "Saving …" : "Save expense"}
          </button>
        </fieldset>
      </form>
      <p role="status">{isWritten ? "" : "The assistant is filling in the form …"}</p>
      {error && <p role="alert">{error.message}</p>}
    </main>
  );
}
