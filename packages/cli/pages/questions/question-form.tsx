import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { FormField, Question, QuestionAction } from "../../src/questions/question.ts";
import { FieldInput, type FieldValue } from "./field-input.tsx";

/** An answer, as the process takes it. */
export interface GivenAnswer {
  action: QuestionAction;
  content?: unknown;
}

/** A question of a server to the user, as a form. */
export function QuestionForm({
  question,
  onAnswer,
}: {
  question: Question;
  onAnswer(answer: GivenAnswer): Promise<void>;
}): ReactNode {
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    question.kind === "form"
      ? Object.fromEntries(question.fields.map((field) => [field.name, field.initial]))
      : {},
  );
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState("");
  const id = useId();
  const answer = (given: GivenAnswer): void => {
    setSent(true);
    onAnswer(given).catch((error: Error) => {
      setSent(false);
      setProblem(error.message);
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (question.kind === "form")
      answer({ action: "accept", content: contentOf(question.fields, values) });
    else if (question.kind === "sample")
      answer({ action: "accept", content: { text: String(values.text ?? "") } });
    else {
      window.open(question.url, "_blank", "noopener,noreferrer");
      answer({ action: "accept" });
    }
  };
  return (
    <form
      className="card question-form"
      data-testid="question"
      onSubmit={submit}
      aria-labelledby={id}
    >
      <p className="question" id={id}>
        <strong>{question.server}</strong> {lead(question)}
      </p>
      {question.kind === "form" &&
        question.fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={values[field.name]}
            onChange={(value) => setValues((last) => ({ ...last, [field.name]: value }))}
          />
        ))}
      {question.kind === "link" && <LinkAddress url={question.url} />}
      {question.kind === "sample" && (
        <>
          <Messages {...question} />
          <div className="form-field">
            <label htmlFor={`${id}-text`}>Answer</label>
            <textarea
              id={`${id}-text`}
              rows={3}
              required
              value={String(values.text ?? "")}
              onChange={({ target }) => setValues({ text: target.value })}
            />
          </div>
        </>
      )}
      {question.kind === "form" && (
        <p className="quiet">Your answer goes to this server. Don't send it a password or a key.</p>
      )}
      {problem !== "" && <p className="trouble">{problem}</p>}
      <div className="actions">
        <button type="submit" className="primary" disabled={isSent}>
          {question.kind === "link" ? "Open page" : "Send answer"}
        </button>
        {question.kind === "sample" && question.hasModel && (
          <button type="button" disabled={isSent} onClick={() => answer({ action: "model" })}>
            Ask the model
          </button>
        )}
        <button type="button" disabled={isSent} onClick={() => answer({ action: "decline" })}>
          Decline
        </button>
        <button type="button" disabled={isSent} onClick={() => answer({ action: "cancel" })}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function lead(question: Question): string {
  if (question.kind === "sample") return "wants an answer of a model:";
  if (question.kind === "link") return `asks you to open a page: ${question.message}`;
  return `asks: ${question.message}`;
}

/** The whole address; the host stands out, because a path can look like another one. */
function LinkAddress({ url }: { url: string }): ReactNode {
  const { protocol, host } = new URL(url);
  const start = `${protocol}//`;
  return (
    <p className="address">
      {start}
      <strong>{host}</strong>
      {url.slice(start.length + host.length)}
    </p>
  );
}

function Messages({
  instructions,
  messages,
}: {
  instructions?: string;
  messages: readonly { role: string; text: string }[];
}): ReactNode {
  const rows = [
    ...(instructions === undefined ? [] : [{ role: "instructions", text: instructions }]),
    ...messages,
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: required for scrolling by keyboard.
    <section className="messages" aria-label="Messages for the model" tabIndex={0}>
      {rows.map(({ role, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names and never move.
        <p key={index}>
          <span className="quiet">{role}</span> {text}
        </p>
      ))}
    </section>
  );
}

function contentOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, FieldValue>>,
): Record<string, FieldValue> {
  const given = fields.map((field) => [field.name, answerOf(field, values[field.name])] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** A field that was left empty has no answer. */
function answerOf({ kind, isRequired }: FormField, value: FieldValue): FieldValue {
  if (kind === "yes-no") return value === true;
  if (kind === "choices") return value ?? [];
  if (value === undefined || value === "") return kind === "text" && isRequired ? "" : undefined;
  return kind === "number" || kind === "integer" ? Number(value) : value;
}
