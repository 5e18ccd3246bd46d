import type { CallToolResult } from "@vitrine/view";
import type { ComponentType } from "preact";

/** Options that every block has. */
export interface CommonConfig {
  title?: string;
  description?: string;
  labels?: Record<string, string>;
}

/** The props of a block's body. */
export interface BodyProps<Config, Data> {
  config: Config;
  data: Data;
  /** The data is the tool's input, and the result is still to come. */
  isPartial: boolean;
  /** The model is still writing the input: show it, but never act on it. */
  isWriting: boolean;
  /** The tool's arguments as far as they are known. */
  input: Record<string, unknown> | undefined;
  result: CallToolResult | undefined;
}

/** A part of an interface: a whole view on its own, or one of several on a page. */
export interface Block<Config, Data> {
  name: string;
  labels?: Record<string, string>;
  /** Finds the block's data in an untrusted value. */
  read(value: unknown, config: Config, result?: CallToolResult): Data | undefined;
  isEmpty?(data: Data, config: Config): boolean;
  /** The body is drawn without data too. */
  isAlways?: boolean;
  Body: ComponentType<BodyProps<Config, Data>>;
}
