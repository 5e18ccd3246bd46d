import type { Story } from "@vitrine/testing";

/** The stories of one file, or the reason why it has none. */
export interface StoryFile {
  /** Relative to the project. */
  file: string;
  stories: Story[];
  error?: { message: string; line?: number };
}
