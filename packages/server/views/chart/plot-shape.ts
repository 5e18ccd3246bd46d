// Where everything of a chart stands, in pixels. No DOM.

import type { ChartData } from "../../src/templates/chart-data.ts";
import { type EndLabel, endLabels, endMargin } from "./end-labels.ts";
import type { Moments } from "./moments.ts";
import { extent, niceScale, place, type Scale, spaced } from "./scale.ts";
import { fit, widthOf } from "./text-width.ts";

/** A value on an axis. */
export interface Tick {
  at: number;
  text: string;
  /** Below the text. */
  sub?: string | undefined;
}

export interface PlotShape {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  isHorizontal: boolean;
  isRtl: boolean;
  /** Rows that are drawn, in their order along the axis. */
  rows: number[];
  /** Room along the axis that a row has for itself. */
  band: number;
  /** The middle of a row along the axis of names. */
  along(row: number): number;
  /** The place of a value along the other axis. */
  across(value: number): number;
  names: Tick[];
  values: Tick[];
  /** Names of series next to their lines; undefined where a legend has them. */
  ends?: EndLabel[] | undefined;
  /** Rows that there is no room for. */
  hidden: number;
}

/** What a shape is made for. */
export interface Room {
  width: number;
  /** Of the whole; by default one that goes with the width. */
  height?: number | undefined;
  /** For axes of dates and times. */
  moments?: Moments | undefined;
  /** Whether series may be named next to their lines. */
  hasEndLabels?: boolean;
  isRtl: boolean;
  /** A name as it stands at the axis. */
  writeName(row: number): string;
  writeNumber(value: number): string;
  writeValue(value: number): string;
  hasLabels: { x: boolean; y: boolean };
}

const WIDEST_NAME = 120;
const LEAST_BAND = 9;
const LYING_BAND = 30;
const MOST_LYING = 40;

/** Where the sums of a stacked chart begin and end, by series and row. */
export type Stacks = (readonly [from: number, to: number] | undefined)[][];

/** What stands on what: values below zero hang from it. */
export function stack({ series, names, isStacked }: ChartData): Stacks {
  const tops = { up: names.map(() => 0), down: names.map(() => 0) };
  return series.map(({ values }) =>
    values.map((value, row) => {
      if (value === undefined) return undefined;
      if (!isStacked) return [0, value] as const;
      const side = value < 0 ? tops.down : tops.up;
      const from = side[row] ?? 0;
      side[row] = from + value;
      return [from, from + value] as const;
    }),
  );
}

/** Finds a place for everything. */
export function layOut(chart: ChartData, stacks: Stacks, room: Room): PlotShape {
  const { names, type } = chart;
  const longest = Math.max(0, ...names.slice(0, 200).map((_, row) => widthOf(room.writeName(row))));
  const isHorizontal =
    chart.isHorizontal ?? (type === "bar" && liesBetter(names.length, longest, room.width));
  if (isHorizontal) return lying(chart, stacks, room, longest);
  const margin = room.hasEndLabels ? endMargin(chart, room.width) : undefined;
  if (margin !== undefined) {
    const shape = standing(chart, stacks, room, longest, margin);
    const ends = endLabels(chart, stacks, shape);
    if (ends) return { ...shape, ends };
  }
  return standing(chart, stacks, room, longest);
}

function liesBetter(count: number, longest: number, width: number): boolean {
  return count <= 24 && longest > 40 && longest + 8 > (width - 60) / count;
}

function scaleOf({ type }: ChartData, stacks: Stacks, rows: number[], length: number): Scale {
  const ends = stacks.flatMap((one) => rows.flatMap((row) => one[row]?.[1] ?? []));
  const hasZero = type === "bar" || type === "area";
  return niceScale(ends, { count: Math.max(2, Math.floor(length / 56)), hasZero });
}

function standing(
  chart: ChartData,
  stacks: Stacks,
  room: Room,
  longest: number,
  far = 14,
): PlotShape {
  const { width, isRtl } = room;
  const height = room.height ?? Math.round(Math.min(Math.max(width * 0.5, 220), 340));
  const count = chart.names.length;
  const most = chart.type === "bar" ? Math.max(1, Math.floor((width - 60) / LEAST_BAND)) : count;
  const rows = chart.names.slice(0, most).map((_, row) => row);
  const scale = scaleOf(chart, stacks, rows, height);
  const values = scale.ticks.map((tick) => ({ tick, text: room.writeValue(tick) }));
  const gutter = Math.max(24, ...values.map(({ text }) => widthOf(text))) + 10;
  const near = gutter + (room.hasLabels.y ? 20 : 0);
  const [left, right] = isRtl ? [far, width - near] : [near, width - far];
  const top = 14;
  const band = (right - left) / Math.max(1, rows.length);
  const turn = (pixel: number): number => (isRtl ? left + right - pixel : pixel);
  const { xs } = chart;
  const axis = xs && axisOf(chart, right - left);
  const along = (row: number): number =>
    turn(axis ? place(xs?.[row] ?? 0, axis, left, right) : left + band * (row + 0.5));
  const names = namesOf(chart, rows, room, {
    ...{ along, axis, widest: Math.min(longest, WIDEST_NAME), length: right - left },
    atX: (x) => turn(axis ? place(x, axis, left, right) : x),
  }).filter(({ at }) => at >= left - 1 && at <= right + 1);
  const hasSubs = names.some(({ sub }) => sub !== undefined);
  const bottom = height - 26 - (hasSubs ? 16 : 0) - (room.hasLabels.x ? 20 : 0);
  return {
    ...{ width, height, left, right, top, bottom, isHorizontal: false, isRtl, rows, band, along },
    across: (value) => place(value, scale, bottom, top),
    names,
    values: values.map(({ tick, text }) => ({ at: place(tick, scale, bottom, top), text })),
    hidden: count - rows.length,
  };
}

interface NamesRoom {
  along(row: number): number;
  atX(x: number): number;
  axis: Scale | undefined;
  widest: number;
  length: number;
}

/** Labels below the axis: round numbers or moments, or the names of rows. */
function namesOf(chart: ChartData, rows: number[], room: Room, at: NamesRoom): Tick[] {
  const { xKind, moments: stamps } = chart;
  const { axis, along } = at;
  if (xKind === "number" && axis) {
    return axis.ticks.map((tick) => ({ at: at.atX(tick), text: room.writeNumber(tick) }));
  }
  if (xKind === "time" && axis && room.moments) {
    const ticks = room.moments.ticks(axis.from, axis.to, at.length);
    return ticks.map(({ moment, ...tick }) => ({ at: at.atX(moment), ...tick }));
  }
  const shown = spaced(rows.map(along), at.widest + 12).map((place) => rows[place] ?? 0);
  if (stamps && room.moments) {
    const written = room.moments.stamps(shown.map((row) => stamps[row] ?? 0));
    return written.map(({ text, sub }, place) => ({ at: along(shown[place] ?? 0), text, sub }));
  }
  return shown.map((row) => ({ at: along(row), text: fit(room.writeName(row), at.widest) }));
}

/** The axis of numbers or moments; moments are not rounded, their ends are those of the data. */
function axisOf({ xs = [], xKind }: ChartData, length: number): Scale {
  if (xKind === "number") {
    return niceScale(xs, { count: Math.max(2, Math.floor(length / 90)), hasZero: false });
  }
  const [from, to] = extent(xs) ?? [0, 1];
  return { from, to, ticks: [] };
}

function lying(chart: ChartData, stacks: Stacks, room: Room, longest: number): PlotShape {
  const { width, isRtl } = room;
  const rows = chart.names.slice(0, MOST_LYING).map((_, row) => row);
  const grouped = chart.isStacked ? 1 : chart.series.length;
  const fair = room.height === undefined ? 0 : (room.height - 52) / Math.max(1, rows.length);
  const band = Math.max(LYING_BAND, 12 + grouped * 12, Math.min(fair, 72));
  const top = 6;
  const bottom = top + band * rows.length;
  const height = bottom + 26 + (room.hasLabels.y ? 20 : 0);
  const widest = Math.min(longest, width * 0.4, 280);
  const near = widest + 12 + (room.hasLabels.x ? 20 : 0);
  const [left, right] = isRtl ? [24, width - near] : [near, width - 24];
  const scale = scaleOf(chart, stacks, rows, right - left);
  const across = (value: number): number => {
    const pixel = place(value, scale, left, right);
    return isRtl ? left + right - pixel : pixel;
  };
  const along = (row: number): number => top + band * (row + 0.5);
  return {
    ...{ width, height, left, right, top, bottom, isHorizontal: true, isRtl, rows, band, along },
    across,
    names: rows.map((row) => ({ at: along(row), text: fit(room.writeName(row), widest) })),
    values: scale.ticks.map((tick) => ({ at: across(tick), text: room.writeValue(tick) })),
    hidden: chart.names.length - rows.length,
  };
}
