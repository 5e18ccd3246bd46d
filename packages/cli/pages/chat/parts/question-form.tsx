import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { Question } from "../../../src/chat/page-state.ts";
import type { Api } from "../api.ts";
import { FieldInput, type FieldValue } from "./field-input.tsx";

type Field = Question["fields"][number];

/** A server's question to the user, as a form. */
export function QuestionForm({ question, api }: { question: Question; api: Api }): ReactNode {
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    Object.fromEntries(question.fields.map((field) => [field.name, field.initial])),
  );
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState("");
  const id = useId();
  const answer = (action: "accept" | "decline" | "cancel", content?: unknown): void => {
    setSent(true);
    api
      .answerQuestion(question.id, content === undefined ? { action } : { action, content })
      .catch((error: Error) => {
        setSent(false);
        setProblem(error.message);
      });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    answer("accept", contentOf(question.fields, values));
  };
  return (
    <form
      className="card question-form"
      data-testid="question"
      onSubmit={submit}
      aria-labelledby={id}
    >
      <p className="question" id={id}>
        <strong>{question.server}</strong> asks: {question.message}
      </p>
      {question.fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(value) => setValues((last) => ({ ...last, [field.name]: value }))}
        />
      ))}
      <p className="quiet">Your answer goes to this server. Don't send it a password or a key.</p>
      {problem !== "" && <p className="trouble">{problem}</p>}
      <div className="actions">
        <button type="submit" className="primary" disabled={isSent}>
          Send answer
        </button>
        <button type="button" disabled={isSent} onClick={() => answer("decline")}>
          Decline
        </button>
        <button type="button" disabled={isSent} onClick={() => answer("cancel")}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function contentOf(
  fields: readonly Field[],
  values: Readonly<Record<string, FieldValue>>,
): Record<string, FieldValue> {
  const given = fields.map((field) => [field.name, answerOf(field, values[field.name])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** A field that was left empty has no answer. */
function answerOf({ kind, isRequired }: Field, value: FieldValue): FieldValue {
  if (kind === "yes-no") return value === true;
  if (kind === "choices") return value ?? [];
  if (value === undefined || value === "") return kind === "text" && isRequired ? "" : undefined;
  return kind === "number" || kind === "integer" ? Number(value) : value;
}
