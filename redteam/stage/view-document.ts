declare global {
  /** In every test view: reports to the host as an ordinary log message. */
  function say(data: unknown): void;
}

/** A view that runs one function, sent as source text: it may use `say`, its parameters and globals. */
export function scriptedView<Parameters extends unknown[]>(
  script: (...parameters: Parameters) => unknown,
  ...parameters: Parameters
): string {
  return viewDocument(`(${script.toString()})(...${JSON.stringify(parameters)})`);
}

/** A document around one script. */
export function viewDocument(script: string): string {
  // An end tag inside the script would close it early.
  const text = `${sayFunction.toString()};globalThis.say=sayFunction;${script}`;
  const safe = text.replaceAll("</script", "<\\/script");
  return `<!doctype html><html><head><meta charset="utf-8"><title>view</title></head><body style="margin:0"><div style="position:fixed;inset:0">view</div><script>${safe}</script></body></html>`;
}

function sayFunction(data: unknown): void {
  const params = { level: "info", logger: "redteam", data };
  parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params }, "*");
}
