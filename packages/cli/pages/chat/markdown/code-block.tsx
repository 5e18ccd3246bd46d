import { type ReactNode, useEffect, useState } from "react";

/** A block of code with its language and a button that copies it. */
export function CodeBlock({
  text,
  language,
}: {
  text: string;
  language?: string | undefined;
}): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true));
  };
  return (
    <figure className="code-block">
      <figcaption>
        <span>{language?.split(/\s/, 1)[0]?.slice(0, 30) || "text"}</span>
        <button type="button" className="small" onClick={copy}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      </figcaption>
      <pre>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
