/**
 * An error with a code of a closed set. Callers switch on `code`; the message says what happened and what
 * to do about it.
 */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
