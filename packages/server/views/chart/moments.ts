// Moments along an axis: round times and days of a time zone, each with its date where that changes.

import { widthOf } from "./text-width.ts";

/** A moment on an axis. */
export interface MomentTick {
  moment: number;
  text: string;
  /** Below the text, where it differs from the tick before: the day of an hour, the year of a month. */
  sub: string | undefined;
}

/** Writes the moments of an axis. */
export interface Moments {
  /** Round moments, as many as have room. */
  ticks(from: number, to: number, length: number): MomentTick[];
  /** Given moments as they come, for bars. */
  stamps(moments: readonly number[]): MomentTick[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MONTH = 28 * DAY;
const YEAR = 365 * DAY;
const MOST_TICKS = 40;
// Steps up to weeks in milliseconds; longer ones in months, which differ in length.
const STEPS = [
  ...[1000, 5000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14].map((count) => count * DAY),
];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200];
// 1 January 1970 was a Thursday, and weeks begin on Mondays.
const MONDAY = 4 * DAY;

interface Unit {
  text: Intl.DateTimeFormatOptions;
  sub?: Intl.DateTimeFormatOptions;
}

/** How moments are written that are so far apart. */
function unitOf(gap: number): Unit {
  if (gap < DAY) {
    const timeStyle = gap < MINUTE ? "medium" : "short";
    return { text: { timeStyle }, sub: { day: "numeric", month: "short" } };
  }
  if (gap < MONTH) return { text: { day: "numeric", month: "short" }, sub: { year: "numeric" } };
  if (gap < YEAR) return { text: { month: "short" }, sub: { year: "numeric" } };
  return { text: { year: "numeric" } };
}

/** For the Host's locale and zone; dates without a time are the same day everywhere. */
export function createMoments(
  locale: string,
  timeZone: string | undefined,
  isPlain: boolean,
): Moments {
  const zone = isPlain ? "UTC" : supported(timeZone);
  const format = (options: Intl.DateTimeFormatOptions) => {
    const made = new Intl.DateTimeFormat(locale, { ...options, ...(zone && { timeZone: zone }) });
    return (moment: number): string => made.format(moment);
  };
  const offset = offsets(zone);
  const write = (moments: readonly number[], gap: number): MomentTick[] => {
    const { text, sub } = unitOf(gap);
    const [writeText, writeSub] = [format(text), sub && format(sub)];
    const subs = moments.map((moment) => writeSub?.(moment));
    // A year that all days share adds nothing; a day that all hours share does.
    const isPlainYear = gap >= DAY && gap < MONTH && new Set(subs).size < 2;
    return moments.map((moment, at) => ({
      moment,
      text: writeText(moment),
      sub: isPlainYear || subs[at] === subs[at - 1] ? undefined : subs[at],
    }));
  };
  /** Whether so many moments, so far apart, have room. */
  const fits = (gap: number, count: number, length: number): boolean =>
    count * (widthOf(format(unitOf(gap).text)(0)) + 24) <= length;
  const least = isPlain ? DAY : 0;
  return {
    ticks: (from, to, length) => {
      const range = to - from;
      const step = STEPS.find((one) => one >= least && fits(one, range / one + 1, length));
      const months = MONTHS.find((one) => fits(one * MONTH, range / (one * MONTH) + 1, length));
      const moments =
        step === undefined
          ? monthsOf(from, to, months ?? 2400, offset)
          : stepsOf(from, to, step, offset);
      if (moments.length === 0) return write([from], least || MINUTE);
      return write(moments, step ?? (months ?? 12) * 30.5 * DAY);
    },
    stamps: (moments) => {
      const gaps = moments.slice(1).map((moment, at) => Math.abs(moment - (moments[at] ?? 0)));
      const gap = gaps.length > 0 ? Math.min(...gaps.filter((one) => one > 0)) : DAY;
      return write(moments, Math.max(gap, least));
    },
  };
}

type OffsetAt = (moment: number) => number;

/** Every step from one moment to another, counted in the zone's own time. */
function stepsOf(from: number, to: number, step: number, offset: OffsetAt): number[] {
  const shift = step >= 7 * DAY ? MONDAY : 0;
  const first = Math.ceil((from + offset(from) - shift) / step) * step + shift;
  const moments: number[] = [];
  for (let local = first; moments.length < MOST_TICKS; local += step) {
    const moment = local - offset(local - offset(local));
    if (moment > to) break;
    if (moment >= from) moments.push(moment);
  }
  return moments;
}

function monthsOf(from: number, to: number, step: number, offset: OffsetAt): number[] {
  const start = new Date(from + offset(from));
  const first = start.getUTCFullYear() * 12 + start.getUTCMonth();
  const moments: number[] = [];
  for (
    let month = Math.floor(first / step) * step;
    moments.length < MOST_TICKS && month < first + 100_000;
    month += step
  ) {
    const local = new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
    const moment = local - offset(local);
    if (!(moment <= to)) break;
    if (moment >= from) moments.push(moment);
  }
  return moments;
}

/** What a zone's clocks are ahead of UTC by. */
function offsets(zone: string | undefined): OffsetAt {
  if (zone === "UTC") return () => 0;
  const parts = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = new Intl.DateTimeFormat("en-US", {
    ...parts,
    ...{ hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" },
    ...(zone && { timeZone: zone }),
  });
  return (moment) => {
    if (Math.abs(moment) > 8e15) return 0;
    const [month, day, year, hour, minute, second] = clock
      .formatToParts(moment)
      .filter(({ type }) => type !== "literal")
      .map(({ value }) => Number(value));
    const local = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
    const ahead = local - moment;
    // Years before Christ count down in parts; their offset doesn't matter.
    return Math.abs(ahead) < DAY ? Math.round(ahead / 1000) * 1000 : 0;
  };
}

function supported(timeZone: string | undefined): string | undefined {
  try {
    return timeZone && new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
