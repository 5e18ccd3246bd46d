// The states that every page has besides its data: loading, empty, error, and data that is no longer fresh.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { count, shortTime } from "../format.ts";
import type { Data } from "../use-data.ts";
import { Icon } from "./icon.tsx";
import { Text } from "./text.tsx";

const PATIENCE = 400;

/** A skeleton of rows, after a moment, so that fast answers don't flicker. */
export function Loading({ rows = 4 }: { rows?: number }): JSX.Element {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="loading" role="status">
      <span class="hidden">Loading</span>
      {isLate && Array.from({ length: rows }, (_, row) => <div key={row} class="bone" />)}
    </div>
  );
}

/** One sentence about what will be here. */
export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** What happened, and one action that helps. */
export function Failed({ error, onRetry }: { error: Error; onRetry(): unknown }): JSX.Element {
  return (
    <div class="failed" role="alert">
      <Icon name="alert" size={20} />
      <p>
        <Text value={error.message} />
      </p>
      <button type="button" onClick={() => void onRetry()}>
        Try again
      </button>
    </div>
  );
}

/** A note that a list isn't complete, and why. */
export function PartialNote({
  items,
  total = items.length,
  silent = [],
}: {
  items: readonly unknown[];
  total?: number;
  silent?: readonly string[];
}): JSX.Element | null {
  if (total <= items.length && silent.length === 0) return null;
  return (
    <p class="stale" role="status">
      <Icon name="alert" />
      <span>
        {silent.length > 0 && (
          <>
            No answer from <Text value={silent.join(", ")} />: what runs there is missing here.{" "}
          </>
        )}
        {total > items.length &&
          `Only ${count(items.length)} of ${count(total)} are listed. Use the filter to find others.`}
      </span>
    </p>
  );
}

/** Shows data, or why there is none. Data of before stays readable after an error, with a notice. */
export function Shown<T>({
  data,
  children,
}: {
  data: Data<T>;
  children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { value, error, isLoading, at, reload } = data;
  if (value === undefined) {
    if (isLoading || !error) return <Loading />;
    return <Failed error={error} onRetry={reload} />;
  }
  return (
    <>
      {error && (
        <p class="stale" role="status">
          <Icon name="clock" />
          <span>
            Shown as of {shortTime(at ?? Date.now())}. <Text value={error.message} />
          </span>
          <button type="button" class="small" onClick={() => void reload()}>
            Try again
          </button>
        </p>
      )}
      {children(value)}
    </>
  );
}
