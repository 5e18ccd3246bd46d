import { type ReactNode, useState } from "react";

const ITEMS = 100;
const LETTERS = 600;

/** Any JSON as an expandable tree; always as text. */
export function JsonTree({ value, open = 3 }: { value: unknown; open?: number }): ReactNode {
  return (
    <div className="json">
      <Value value={value} open={open} />
    </div>
  );
}

function Value({ value, open, name }: { value: unknown; open: number; name?: string }): ReactNode {
  const label = name !== undefined && <span className="key">{name}: </span>;
  if (typeof value === "object" && value !== null)
    return <Branch value={value} open={open} label={label} />;
  return (
    <div className="leaf">
      {label}
      {typeof value === "string" ? (
        <Text text={value} />
      ) : (
        <span className="atom">{String(value)}</span>
      )}
    </div>
  );
}

function Branch({
  value,
  open,
  label,
}: {
  value: object;
  open: number;
  label: ReactNode;
}): ReactNode {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(ITEMS);
  const isList = Array.isArray(value);
  const members = Object.entries(value);
  const [before, after] = isList ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) {
    return (
      <div className="leaf">
        {label}
        {before + after}
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        {before}
        {!isOpen && <span className="more">{summary(value, members)}</span>}
        {!isOpen && after}
      </summary>
      {isOpen && (
        <div className="members">
          {members.slice(0, shown).map(([key, member]) => (
            <Value key={key} value={member} open={open - 1} {...(!isList && { name: key })} />
          ))}
          {members.length > shown && (
            <button type="button" className="plain small" onClick={() => setShown(shown * 10)}>
              {members.length - shown} more
            </button>
          )}
        </div>
      )}
      {isOpen && <div className="leaf">{after}</div>}
    </details>
  );
}

function summary(value: object, members: [string, unknown][]): string {
  if (Array.isArray(value)) return ` ${value.length} `;
  const names = members.slice(0, 4).map(([name]) => name.slice(0, 24));
  return ` ${names.join(", ")}${members.length > names.length ? ", …" : ""} `;
}

function Text({ text }: { text: string }): ReactNode {
  const [isAll, setAll] = useState(false);
  const isLong = text.length > LETTERS && !isAll;
  return (
    <>
      <span className="text">"{isLong ? text.slice(0, LETTERS) : text}"</span>
      {isLong && (
        <button type="button" className="plain small" onClick={() => setAll(true)}>
          {text.length - LETTERS} more characters
        </button>
      )}
    </>
  );
}
