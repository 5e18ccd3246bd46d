/**
 * Colours of series in their fixed order, for light and dark backgrounds: chosen by eye, and checked for
 * contrast and for people who confuse colours by palette.test.ts. The last is for what is left over.
 */
export const PALETTE: readonly (readonly [light: string, dark: string])[] = [
  ["#1a5dc4", "#6eaefb"],
  ["#cc7514", "#f49636"],
  ["#149a83", "#42c8af"],
  ["#862570", "#d968bd"],
  ["#886b01", "#eed965"],
  ["#8c75e0", "#886ff2"],
  ["#8f2c2c", "#f26d66"],
  ["#5f7486", "#68758a"],
];

/** The colour of the rest. */
export const REST: number = PALETTE.length - 1;
