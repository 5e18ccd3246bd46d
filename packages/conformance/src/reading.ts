// Reads and prints untrusted values, for other programs that check servers: `vitrine check`. Loads
// neither a client nor a browser.

export { documentOf } from "./server/view-document.ts";
export { chromiumOptions } from "./targets/chromium-options.ts";
export { splitCommand } from "./targets/command-words.ts";
export { sampleArguments } from "./targets/sample.ts";
