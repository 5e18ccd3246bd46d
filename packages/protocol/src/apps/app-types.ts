/** The types of a View's Server. They don't exist at run time. */
export interface AppTypes {
  /** Arguments of the tool that opens the View. */
  input: unknown;
  /** `structuredContent` of its result. */
  output: unknown;
  /** The tools that the View may call, by name. */
  tools: Record<string, { input: unknown; output: unknown }>;
}
