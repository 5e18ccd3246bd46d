import type { ConsentSubject } from "./consent.ts";

/** Every word of the dialog, for translation; `{n}` becomes a number. */
export interface ConsentLabels {
  /** The question, by what is asked for. */
  question: Record<ConsentSubject["kind"], string>;
  allow: string;
  deny: string;
  /** Beside "deny" while the same View has more questions. */
  denyAll: string;
  remember: string;
  /** Names of what is shown. */
  server: string;
  /** Before a View's own name, which is a claim. */
  callsItself: string;
  tool: string;
  arguments: string;
  noArguments: string;
  site: string;
  address: string;
  message: string;
  files: string;
  size: string;
  display: string;
  modes: Record<string, string>;
  request: string;
  domains: string;
  /** A content block that is not text. */
  attachment: string;
  /** What to be careful about. */
  destructive: string;
  unencrypted: string;
  coded: string;
  inactive: string;
  sends: string;
  cut: string;
}

/** The default. */
export const ENGLISH: ConsentLabels = {
  question: {
    tool: "Let this app use a tool?",
    "app-tool": "Let the assistant use a tool of this app?",
    link: "Open this website?",
    message: "Send this message as yours?",
    download: "Save to your device?",
    "display-mode": "Let this app change how it is shown?",
    sampling: "Let this app ask the model?",
    domains: "Let this app connect to other sites?",
  },
  allow: "Allow",
  deny: "Don’t allow",
  denyAll: "Refuse all {n}",
  remember: "Always allow this tool for this server",
  server: "Server",
  callsItself: "Calls itself",
  tool: "Tool",
  arguments: "Arguments",
  noArguments: "none",
  site: "Site",
  address: "Full address",
  message: "Message",
  files: "Files",
  size: "Size",
  display: "Shown as",
  modes: { inline: "part of the page", fullscreen: "full screen", pip: "floating window" },
  request: "Request",
  domains: "Sites",
  attachment: "Attachment",
  destructive: "Its server says that this tool can change or delete things.",
  unencrypted: "The connection to this site is not encrypted.",
  coded: "“xn--” stands for letters that can look like others.",
  inactive: "The app asks on its own: you did not just click in it.",
  sends: "It can send what it sees to these sites.",
  cut: "{n} more characters are not shown.",
};
