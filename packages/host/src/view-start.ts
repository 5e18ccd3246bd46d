// What a view needs when it loads its document. Loaded with the first view, or earlier when the page is idle:
// a page that shows no view doesn't need it.

import { HeadStart } from "./head-start.ts";

export { openFrame } from "./frame/frame.ts";
export { frameOptions } from "./frame/frame-options.ts";
export { createPreparedFrames } from "./prepared-frames.ts";
export { readAllowed } from "./resources/allowed-resource.ts";
export { createUiResourceCache } from "./resources/ui-resource.ts";
export { untilOnScreen } from "./surface/on-screen.ts";
export { ViewSession } from "./view-session.ts";

/** One for the page, because all its views share the same processors. */
export const headStart: HeadStart = new HeadStart();
