/** English words of a page; `labels` of the config replace them by name. */
export const LABELS = {
  empty: "This page is empty",
  invalid: "Parts of this page can't be shown: {count}",
  details: "Details for developers",
  up: "up",
  down: "down",
  unchanged: "unchanged",
  working: "Working…",
  sure: "{action}: are you sure?",
  keep: "Keep",
  done: "Done",
};
