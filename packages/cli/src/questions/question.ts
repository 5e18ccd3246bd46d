// Questions of servers and views as a page shows them. Pages import this file, so it has only types.

/** One field of a form. */
export interface FormField {
  name: string;
  label: string;
  help?: string;
  isRequired: boolean;
  kind: "text" | "number" | "integer" | "yes-no" | "choice" | "choices";
  /** What the text is: an e-mail address, a date. */
  format?: "email" | "uri" | "date" | "date-time";
  options?: { value: string; label: string }[];
  initial?: string | number | boolean | string[];
  least?: number;
  most?: number;
}

interface Asked {
  id: string;
  /** The server that asks. */
  server: string;
  message: string;
  /** The conversation whose turn was running, if that is known. */
  conversation?: string;
}

/** The user fills in a form. */
export interface FormQuestion extends Asked {
  kind: "form";
  fields: FormField[];
}

/** The user opens a page, whose address is `http:` or `https:`. */
export interface LinkQuestion extends Asked {
  kind: "link";
  url: string;
}

/** Somebody wants an answer of a model: the user writes it, or lets the model do it. */
export interface SampleQuestion extends Asked {
  kind: "sample";
  instructions?: string;
  messages: { role: string; text: string }[];
  /** Whether there is a model that can answer. */
  hasModel: boolean;
}

/** A question that waits for the user. */
export type Question = FormQuestion | LinkQuestion | SampleQuestion;

/** What the user does with a question; `model` lets the model answer. */
export type QuestionAction = "accept" | "decline" | "cancel" | "model";
