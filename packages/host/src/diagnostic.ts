/** How far a view has come; each stage has its own time limit. */
export type Stage =
  | "resource" // reading the HTML from the server
  | "sandbox" // the relay page is loaded and has sent its port
  | "document" // the view's document is loading
  | "initialize" // the view has sent `ui/initialize`
  | "initialized" // the handshake is complete
  | "shown"; // it has reported its first size, or had time to

/** Everything that can happen to a view. */
export type DiagnosticCode =
  // resource
  | "no-resource" // the tool names no UI
  | "bad-resource-uri"
  | "resource-failed" // the server returned an error, or nothing
  | "resource-empty" // not exactly one content item of the requested address
  | "resource-type" // a MIME type other than that of MCP Apps
  | "resource-large"
  | "resource-changed" // the HTML differs from last time
  | "resource-refused" // the host's review rejected it
  // sandbox and document
  | "sandbox-timeout"
  | "sandbox-unreachable" // no sandbox answers at its address
  | "sandbox-refused" // it answered with an error, or can't be used from this page
  | "host-refused" // the sandbox doesn't accept the origin of this page
  | "frame-blocked" // the policy of this page doesn't allow the sandbox's frame
  | "frame-isolated" // the embedder policy of this page (COEP) blocks the sandbox's frame
  | "egress-partial" // the operator requires strict egress, which this browser can't enforce
  | "document-timeout" // the relay loaded, but the view never connected
  | "view-error" // the view didn't catch an error
  // handshake
  | "initialize-refused"
  | "initialized-timeout" // `ui/initialize` was answered, but `initialized` never came
  // later
  | "killed" // the sandbox stopped it: flood, navigation, oversize, history, storage
  | "focus-theft"
  | "stopped" // the user stopped it
  | "unresponsive" // no response to a ping: its process is busy or gone
  | "gone" // the relay's process is gone
  | "server-lost" // its server was removed, or the user lost access to it
  | "blocked" // its policy blocked a request; the view continues, unless it could not start
  | "policy" // the granted permissions, for reviews
  | "policy-rejected" // a declared domain was left out of its policy
  | "external-domains" // it can send data to these
  | "refused" // policy or the user rejected a request of the view
  | "malformed" // a message of the view was invalid for its method
  | "dropped" // messages that the relay dropped
  | "order" // the host called in an order that the specification doesn't allow
  | "compatibility" // an older spelling was accepted
  | "left-out" // data of the host that no view could read was not sent
  | "listener"; // a handler of the host threw an error

/** One event in a view's life, with its details. */
export interface Diagnostic {
  readonly level: "error" | "warning" | "info";
  readonly stage: Stage;
  readonly code: DiagnosticCode;
  /** Milliseconds since the view was requested. */
  readonly elapsed: number;
  /** The id of the view's conversation, unless it is the default one. */
  readonly conversation?: string;
  /** The view's key and server, if known. */
  readonly view?: string;
  readonly server?: string;
  /** The value it is about, printable; may come from a view or server. */
  readonly detail?: string;
  readonly cause?: unknown;
}
