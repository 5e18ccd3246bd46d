import type { ChartConfig } from "../../src/templates/chart.ts";
import type { ChartData } from "../../src/templates/chart-data.ts";
import { cut, type Formatter } from "../shell/shell.tsx";
import { createMoments, type Moments } from "./moments.ts";

/** How names and values of a chart are written, in full and at an axis. */
export interface Writing {
  name(row: number): string;
  /** As it stands at an axis, before it is cut to its room. */
  shortName(row: number): string;
  value(value: number | undefined): string;
  shortValue(value: number): string;
  share(share: number): string;
  /** A number along the axis of names. */
  number(value: number): string;
  /** Names that are dates or times. */
  moments: Moments | undefined;
}

/** Writes by the Host's locale and time zone. */
export function createWriting(
  chart: ChartData,
  { format: as, xFormat }: ChartConfig,
  format: Formatter,
  timeZone: string | undefined,
): Writing {
  const { names } = chart;
  // A date without a time is the same day everywhere.
  const isPlain = names.every((name) => !/[T ]/.test(String(name)));
  const isDated = chart.moments !== undefined && xFormat === undefined;
  const moments = isDated ? createMoments(format.locale, timeZone, isPlain) : undefined;
  const stamps = moments?.stamps(chart.moments ?? []);
  const name = (row: number): string => format.write(names[row], xFormat).text;
  return {
    name,
    shortName: (row) => cut(stamps?.[row]?.text ?? name(row), 60),
    moments,
    value: (value) => {
      if (value === undefined) return "–";
      return as ? format.write(value, as).text : plain(format, value);
    },
    shortValue: (value) => (as ? format.write(value, as).text : compact(format, value)),
    share: (share) => format.number(share, { style: "percent", maximumFractionDigits: 1 }),
    // Four digits are as often a year as an amount.
    number: (value) =>
      Math.abs(value) < 10_000 ? format.write(value).text : compact(format, value),
  };
}

/** As many digits as tell values apart; more are noise of the machine. */
function plain(format: Formatter, value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1;
  if (Math.abs(value) >= 1e15) return format.number(value, { notation: "scientific" });
  return format.number(value, {
    ...(isSmall ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 2 }),
  });
}

function compact(format: Formatter, value: number): string {
  if (Math.abs(value) >= 1e15) return plain(format, value);
  return format.number(value, { notation: "compact", maximumFractionDigits: 2 });
}
