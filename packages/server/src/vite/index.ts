// Views from sources: `vite build` with `vitrineViews()` writes one HTML file for each View.
//
// While developing nothing of Vite runs in the View: its policy lets it reach no dev server, and a View
// that only works without that policy is not the one that users get. Instead
//
//   watchViews()                                                // rebuilds the files
//   openViewFolder("dist", { server, watch: true }).register(mcpServer)   // sees it, tells list_changed
//   upstream.onListChanged(() => view.reload())                 // in the Host's page
//
// and the View comes back with its input, its result and what it kept in `app.state`.
//
// Adding a name here makes it public.

export type { ViewReport } from "./finished-view.ts";
export { type VitrineViewsOptions, vitrineViews } from "./plugin.ts";
export type { ModuleWeight, SizeBudget, Weight } from "./size-budget.ts";
export { type BuiltViews, buildViews, type WatchedViews, watchViews } from "./view-builds.ts";
export type { ViewEntries } from "./view-inputs.ts";
