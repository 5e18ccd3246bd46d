import { expect, test } from "vitest";
import { judgeLayout } from "../../src/check/render/judge-layout.ts";
import type { Look } from "../../src/check/render/look.ts";
import type { Sighting } from "../../src/check/render/sighting.ts";
import type { Subject } from "../../src/check/render/subject.ts";

const subject = { place: { resource: "ui://orders/view.html", tool: "orders" } } as Subject;
type Extent = Look["texts"][number];

function judged(rtl: Partial<Look>, texts: readonly Extent[] = []): string[] {
  const look = { text: "Orders", things: 0, height: 100, excess: 0, language: "en", texts } as Look;
  const sightings = [
    { run: "normal", isInitialized: true, look, events: [] },
    { run: "rtl", isInitialized: true, look: { ...look, ...rtl }, events: [] },
  ] as unknown as Sighting[];
  return judgeLayout(sightings, subject).map(({ code, effect }) => `${code} ${effect}`);
}

const ltr = (left: number, right: number): Extent => ({ left, right, isRtl: false });
const rtl = (left: number, right: number): Extent => ({ left, right, isRtl: true });
const LEFT = [ltr(16, 90), ltr(16, 200), ltr(16, 120), ltr(300, 780)];

test("finds a view without a language that stays left-to-right, and one with Arabic text", () => {
  expect(judged({ language: "", texts: LEFT }, LEFT)).toEqual(["rtl-ignored note"]);
  expect(judged({ language: "ar-EG", texts: LEFT }, LEFT)).toEqual(["rtl-ignored note"]);
  expect(judged({ text: "الطلبات", texts: LEFT }, LEFT)).toEqual(["rtl-ignored poor"]);
});

test("accepts a page that declares that its text is English", () => {
  expect(judged({ texts: LEFT }, LEFT)).toEqual([]);
  expect(judged({ text: "Orders 12٪", texts: LEFT }, LEFT)).toEqual([]);
});

test("finds a right-to-left page whose texts all stay where they are", () => {
  expect(judged({ texts: LEFT.map(({ left, right }) => rtl(left, right)) }, LEFT)).toEqual([
    "rtl-ignored poor",
  ]);
  expect(
    judged({ texts: LEFT.map(({ left, right }) => rtl(796 - right, 796 - left)) }, LEFT),
  ).toEqual([]);
});
