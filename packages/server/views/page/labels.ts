/** English words of a page; `labels` of the config replace them by name. */
export const LABELS = {
  empty: "There are no blocks on this page.",
  invalid: "Parts of this page can't be shown: {count}",
  up: "up",
  down: "down",
  unchanged: "unchanged",
  working: "Working…",
  sure: "{action}: are you sure?",
  keep: "Keep",
  done: "Done",
};
