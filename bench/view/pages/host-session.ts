/** What the bench needs of a Host, whichever stack it is made of. */
export interface HostSession {
  /** Sends one partial tool input. */
  sendPartial(args: Record<string, unknown>): void;
  /** Starts to listen, or stops: while another View is measured, no other listener may receive its messages. */
  listen(active: boolean): void;
  close(): void;
}

/** The capabilities and responses of every Host, so that only the stacks differ. */
export const HOST_INFO = { name: "Bench host", version: "1.0.0" };
export const TOOL_INPUT = { arguments: { sides: 6 } };

/** What every tool call and the first tool result return. */
export function rollDice(): { content: Array<{ type: "text"; text: string }> } {
  return { content: [{ type: "text", text: "You rolled a 4." }] };
}
