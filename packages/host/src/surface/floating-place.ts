/** Where a floating view is docked. */
export type Corner = `${"top" | "bottom"}-${"left" | "right"}`;

/** The place of the floating view of a conversation, as the user left it. */
export interface FloatingPlace {
  corner: Corner | undefined;
  width: number;
  height: number;
}

/** The place of a view that nobody has moved. */
export function createFloatingPlace(): FloatingPlace {
  return { corner: undefined, width: 360, height: 240 };
}
