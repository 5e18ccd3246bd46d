/** Why a view can't be mounted, or a call of it can't be answered. */
export type MountErrorCode =
  | "no-view"
  | "no-tool"
  | "no-browser"
  | "not-connected"
  | "no-answer"
  | "closed";

/** A failure of `mountView`, or of a mounted view; switch on `code`. */
export class MountError extends Error {
  readonly code: MountErrorCode;

  constructor(code: MountErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MountError";
    this.code = code;
  }
}
