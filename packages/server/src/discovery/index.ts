// Adding a name here makes it public.

export type { DiscoveredView, DiscoveryOptions } from "./discovered-view.ts";
export { discoverViews } from "./discovered-views.ts";
export type { ProblemCode, ViewProblem } from "./problem.ts";
export {
  type FolderToolMeta,
  openViewFolder,
  type ViewFolder,
  type ViewFolderOptions,
} from "./view-folder.ts";
export { type ViewsChange, type ViewWatch, type WatchOptions, watchViews } from "./view-watch.ts";
