// The fragment of the page's address: the secret, and the open conversation. No log or referrer contains
// a fragment.

/** The secret that the process has printed. */
export function keyInAddress(): string {
  return fields().get("key") ?? "";
}

/** The conversation that a reload opens again. */
export function conversationInAddress(): string | undefined {
  const id = fields().get("conversation");
  return id !== null && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}

/** Changes the open conversation. */
export function showInAddress(conversation: string): void {
  const next = fields();
  next.set("conversation", conversation);
  history.replaceState(null, "", `#${next}`);
}

function fields(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}
