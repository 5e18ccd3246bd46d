import type { CardMessages } from "./messages.ts";

/** Loaded with the first view that can't be shown. */
export const ENGLISH_CARD: CardMessages = {
  failure: {
    noApp: "This result is text only.",
    notLoaded: "This app can’t be loaded right now.",
    noAnswer: "This app’s service isn’t responding.",
    notStarted: "This app didn’t start.",
    startError: "This app ran into a problem while starting.",
    incomplete: "This app can’t load everything it needs.",
    pageBlocks: "This page can’t show apps.",
    pageIsolated: "This app can’t be shown on this page.",
    siteUnknown: "Apps aren’t set up for this site yet.",
    broken: "This app doesn’t work here.",
    notAllowed: "This app isn’t available here.",
    browser: "This app needs a current version of Chrome or Edge.",
    misbehaved: "This app was stopped to protect you.",
    focus: "This app was stopped because it took over your typing.",
    stopped: "You stopped this app.",
    closed: "This app closed unexpectedly.",
  },
  contextRemoved: "The assistant no longer sees what this app told it.",
  retry: "Try again",
  restart: "Start again",
  details: "Details",
  copy: "Copy",
  copied: "Copied",
};
