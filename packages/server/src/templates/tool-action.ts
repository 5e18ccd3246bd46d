import {
  anything,
  either,
  flag,
  type Options,
  object,
  record,
  required,
  text,
  tool,
} from "./option.ts";

/** A button or menu entry that calls a tool. */
export interface ToolAction {
  /** The verb: "Refund". */
  label: string;
  tool: string;
  /** Arguments for the tool. */
  args?: Record<string, unknown>;
  /** A question to confirm the call; actions that destroy something always ask, unless this is `false`. */
  confirm?: string | boolean;
  /** Whether the action deletes or overwrites something; false by default. */
  destructive?: boolean;
  /** Whether the tool's result replaces the data on screen; false by default. */
  refresh?: boolean;
}

/** An action on one row of a table. */
export interface RowAction extends ToolAction {
  /** More arguments by name, each with the property of the row that has its value. */
  rowArgs?: Record<string, string>;
}

export const TOOL_ACTION: Options<ToolAction> = {
  label: required(text('The verb: "Refund".')),
  tool: required(tool("The tool that is called.")),
  args: record(anything("A value."), "Arguments for the tool."),
  confirm: either(
    text("The question."),
    flag("false never asks."),
    "A question to confirm the call; destructive actions always ask, unless this is false.",
  ),
  destructive: flag("Whether the action deletes or overwrites something; false by default."),
  refresh: flag("Whether the tool's result replaces the data on screen; false by default."),
};

export const ROW_ACTION: ReturnType<typeof object<RowAction>> = object<RowAction>(
  {
    ...TOOL_ACTION,
    rowArgs: record(
      text("A property of the row."),
      "More arguments by name, each with the property of the row that has its value.",
    ),
  },
  "An action on one row.",
);
