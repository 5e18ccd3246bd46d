import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ago, duration, exactTime, millisecondsOf } from "../format.ts";

/** The current time, which changes every second while the page is visible. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago something was; the exact time is the title. */
export function Ago({ time }: { time: number | string | undefined }): JSX.Element | null {
  const now = useNow();
  const value = millisecondsOf(time);
  if (value === undefined) return null;
  return (
    <time dateTime={new Date(value).toISOString()} title={exactTime(value)}>
      {ago(value, now)}
    </time>
  );
}

/** How long something has been running. */
export function Since({ time }: { time: number | string | undefined }): JSX.Element | null {
  const now = useNow();
  const value = millisecondsOf(time);
  if (value === undefined) return null;
  return (
    <time dateTime={new Date(value).toISOString()} title={`Since ${exactTime(value)}`}>
      {duration(now - value)}
    </time>
  );
}

/** How long is left until a time. */
export function Until({ time }: { time: number | string | undefined }): JSX.Element | null {
  const now = useNow();
  const value = millisecondsOf(time);
  if (value === undefined) return null;
  return (
    <time dateTime={new Date(value).toISOString()} title={exactTime(value)}>
      {value <= now ? "expired" : `in ${duration(value - now)}`}
    </time>
  );
}
