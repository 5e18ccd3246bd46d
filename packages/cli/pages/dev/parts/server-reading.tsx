import { type FormEvent, type ReactNode, useState } from "react";
import type { ServerText } from "../server-explorer.ts";

/** A form that reads something from the server, and the texts that came back. */
export function ServerReading({
  title,
  description,
  action,
  read,
  children,
}: {
  title: string;
  description: string | undefined;
  action: string;
  read(): Promise<ServerText[]>;
  children: ReactNode;
}): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [texts, setTexts] = useState<ServerText[] | undefined>();
  const [problem, setProblem] = useState("");
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      setTexts(await read());
    } catch (error) {
      setTexts(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <>
      <form aria-label={title} onSubmit={(event) => void submit(event)}>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {description && <p className="quiet">{description}</p>}
        {children}
        <button type="submit" className="run" disabled={isBusy}>
          {isBusy ? "Reading…" : action}
        </button>
      </form>
      {problem && (
        <p className="trouble" role="alert">
          {problem}
        </p>
      )}
      {texts?.length === 0 && <p className="empty">The server returned nothing.</p>}
      {texts?.map(({ facts, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts have no names and never move.
        <article key={index}>
          <p className="quiet">{facts}</p>
          <pre>{text}</pre>
        </article>
      ))}
    </>
  );
}
