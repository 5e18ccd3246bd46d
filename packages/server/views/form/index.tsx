import "./form.css";
import type { FormConfig } from "../../src/templates/form.ts";
import { type Block, isRecord, own } from "../shell/shell.tsx";
import { Form } from "./form.tsx";

export const block: Block<FormConfig, unknown> = {
  name: "form",
  labels: {
    empty: "This form has no fields",
    submit: "Submit",
    submitting: "Submitting…",
    submitted: "Submitted",
    notSubmitted: "This could not be submitted",
    again: "Submit again",
    cancel: "Cancel",
    givenUp: "Not submitted",
    reopen: "Open again",
    requiredNote: "Fields marked * are required.",
    problems: "Fields that need attention: {count}",
    choose: "Choose…",
    noChoice: "No choice",
    tooShort: "At least {count} characters.",
    notJson: "This is not valid JSON.",
    tooLarge: "This file has {size}; the limit is {limit}.",
    tooFew: "Add at least {count}.",
    entry: "Entry",
    addEntry: "Add {entry}",
    removeEntry: "Remove {entry}",
    moveUp: "Move {entry} up",
    moveDown: "Move {entry} down",
    movedEntry: "{entry} moved to position {at}",
    removedEntry: "{entry} removed",
    notMatching: "This does not have the form that is asked for.",
  },
  isAlways: true,
  // Values of the result, under their own name or directly.
  read: (value) => (isRecord(own(value, "values")) ? own(value, "values") : value),
  Body: Form,
};
