import { withFirstScript } from "@vitrine/sandbox";
import { agentScript } from "./frame-agent.ts";

/** A page with the agent in it. */
export interface AgentPage {
  html: string;
  /** The location in the page as the author wrote it; all count from 1. */
  origin(place: { line: number; column: number }): { line: number; column: number } | undefined;
}

const END = "</script>";

/** The receiver of the reports. */
export interface AgentReceiver {
  /** The origin of the page. */
  target: string;
  /** Sent with each report. */
  page: string;
}

/** Puts the agent before all scripts of a view. */
export function withAgent(html: string, receiver: AgentReceiver): AgentPage {
  // No text of the agent ends its element. It stands on lines of its own, so that everything after it
  // keeps its column, whatever the sandbox adds before it.
  const code = `\n${agentScript(receiver)}\n`;
  const served = withFirstScript(html, code);
  const at = served.indexOf(`<script>${code}`);
  const before = html.slice(0, at).split("\n");
  const firstLine = before.length;
  const firstColumn = before.at(-1)?.length ?? 0;
  const added = code.split("\n").length - 1;
  return {
    html: served,
    origin: ({ line, column }) => {
      if (line < firstLine) return { line, column };
      // The agent's own code.
      if (line < firstLine + added) return undefined;
      if (line > firstLine + added) return { line: line - added, column };
      return { line: firstLine, column: column - END.length + firstColumn };
    },
  };
}
