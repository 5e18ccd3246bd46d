// Times and numbers as people write them, in the browser's language.

/** Milliseconds of a time that the API sent as a number or as ISO 8601. */
export function millisecondsOf(time: number | string | undefined): number | undefined {
  if (time === undefined) return undefined;
  const value = typeof time === "number" ? time : Date.parse(time);
  return Number.isFinite(value) ? value : undefined;
}

const COUNT = new Intl.NumberFormat();
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });
const DAY = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

export function count(value: number): string {
  return COUNT.format(value);
}

/** "1 tool", "3 tools". */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function exactTime(time: number | string): string {
  const value = millisecondsOf(time);
  return value === undefined ? `${time}` : EXACT.format(value);
}

/** The time of today, or the date and time. */
export function shortTime(time: number | string, now: number = Date.now()): string {
  const value = millisecondsOf(time);
  if (value === undefined) return `${time}`;
  const isToday = new Date(value).toDateString() === new Date(now).toDateString();
  return (isToday ? CLOCK : DAY).format(value);
}

const STEPS: readonly [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** "just now", "12 s ago", "3 min ago", "2 d ago". */
export function ago(time: number | string, now: number = Date.now()): string {
  const value = millisecondsOf(time);
  if (value === undefined) return `${time}`;
  const passed = now - value;
  return passed < 2000 ? "just now" : `${duration(passed)} ago`;
}

/** "12 s", "3 min", "2 d". */
export function duration(milliseconds: number): string {
  for (const [length, unit] of STEPS) {
    if (milliseconds >= length) return `${count(Math.floor(milliseconds / length))} ${unit}`;
  }
  return `${Math.max(0, Math.floor(milliseconds / 1000))} s`;
}
