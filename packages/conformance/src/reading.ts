// How a stranger's words are read and shown, for whoever looks at servers beside the scenarios: `vitrine check`.
// No client and no browser is loaded with it.

export { documentOf } from "./server/view-document.ts";
export { chromiumOptions } from "./targets/chromium-options.ts";
export { splitCommand } from "./targets/command-words.ts";
export { sampleArguments } from "./targets/sample.ts";
