/** How far a View has come; each stage has a time limit of its own. */
export type Stage =
  | "resource" // the HTML is read from the Server
  | "sandbox" // the relay page is loaded and has handed over its port
  | "document" // the View's document is loading
  | "initialize" // the View has sent `ui/initialize`
  | "initialized" // the handshake is over
  | "shown"; // it has reported its first size, or was given time to

/** What can happen to a View. */
export type DiagnosticCode =
  // resource
  | "no-resource" // the tool names no UI
  | "bad-resource-uri"
  | "resource-failed" // the Server answered with an error, or not at all
  | "resource-empty" // not exactly one content item of the asked address
  | "resource-type" // another MIME type than the one of MCP Apps
  | "resource-large"
  | "resource-changed" // it came back with other HTML than it left with
  | "resource-refused" // the Host's own review said no
  // sandbox and document
  | "sandbox-timeout"
  | "sandbox-refused"
  | "egress-partial" // the operator wants strict egress, and this browser cannot have it
  | "document-timeout" // the relay is there, the View never spoke
  // handshake
  | "initialize-refused"
  | "initialized-timeout" // `ui/initialize` was answered, `initialized` never came
  // afterwards
  | "killed" // the Sandbox stopped it: flood, navigation, oversize
  | "focus-theft"
  | "unresponsive" // no answer to a ping: its process is busy or gone
  | "gone" // the relay's process is gone
  | "blocked" // its policy blocked a request; the View goes on
  | "policy" // what it was granted, for whoever reviews that
  | "policy-rejected" // a declared domain was left out of its policy
  | "external-domains" // it can send what it sees to these
  | "refused" // a request of the View was refused by policy or user
  | "malformed" // a message of the View was not what its method takes
  | "dropped" // messages that the relay did not pass on
  | "order" // the Host called in an order the specification does not have
  | "compatibility" // an older spelling was accepted
  | "left-out" // something of the Host that no View could read was not sent
  | "listener"; // a handler of the Host threw

/** One thing that happened to a View, with what is known of it. */
export interface Diagnostic {
  readonly level: "error" | "warning" | "info";
  readonly stage: Stage;
  readonly code: DiagnosticCode;
  /** Milliseconds since the View was asked for. */
  readonly elapsed: number;
  /** The View's key and Server, where one is known. */
  readonly view?: string;
  readonly server?: string;
  /** The value it is about, printable; may come from a View or Server. */
  readonly detail?: string;
  readonly cause?: unknown;
}
