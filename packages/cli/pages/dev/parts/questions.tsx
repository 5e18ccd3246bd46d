import type { ReactNode } from "react";
import { QuestionForm } from "../../questions/question-form.tsx";
import { useFields } from "../../store.ts";
import type { DevHost } from "../dev-host.ts";

/** The questions of servers and views that wait for the author. */
export function Questions({ host }: { host: DevHost }): ReactNode {
  const { questions } = useFields(host.state, "questions");
  return (
    <section className="questions" aria-label="Questions" aria-live="polite">
      {questions.map((question) => (
        <QuestionForm
          key={question.id}
          question={question}
          onAnswer={(answer) => host.answer(question.id, answer)}
        />
      ))}
    </section>
  );
}
