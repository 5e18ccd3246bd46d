import { createContext } from "preact";

/** What all blocks of a page share. */
export interface PageShared {
  labels?: Record<string, string> | undefined;
}

export const PageContext: import("preact").Context<PageShared> = createContext<PageShared>({});

/** The level of the next heading. */
export const LevelContext: import("preact").Context<number> = createContext<number>(2);
