/** Error codes of the View SDK; each is a heading in `errors.md`. */
export type ViewErrorCode =
  | "no-host" // no parent window to connect to
  | "not-connected" // a call to the Host before connect()
  | "connected" // connect() twice
  | "positional" // a string where the params object belongs
  | "no-sampling" // the Host cannot sample, or not with tools (VEW-15, VEW-16)
  | "no-mode" // a display mode the Host does not offer (VEW-04)
  | "tool-exists" // registerTool() twice with one name
  | "old-spelling"; // not a failure: the Host used a name from before the stable release
