// The sections of the dev page. To add one, write its panel in a file of `parts/` and add a line here.

import type { ReactNode } from "react";
import type { DevHost } from "./dev-host.ts";
import { CheckSection } from "./parts/check-section.tsx";
import { LoginSection } from "./parts/login-section.tsx";
import { ModelSection } from "./parts/model-section.tsx";
import { RunSection } from "./parts/run-section.tsx";
import { ServerSection } from "./parts/server-section.tsx";
import { StoriesSection } from "./parts/stories-section.tsx";

/** One section, with a tab in the header. */
export interface Section {
  id: string;
  label: string;
  /** Whether it has a tab now; without it, always. Evaluated whenever the page's state changes. */
  isAvailable?(host: DevHost): boolean;
  /**
   * Fills the page below the header. It is rendered from the first time that the user selects it, and
   * then stays in the document, because a view that leaves it would have to load again. `isShown`
   * tells whether it is visible now, `onSelect` opens another section.
   */
  Panel(props: { host: DevHost; isShown: boolean; onSelect(id: string): void }): ReactNode;
}

/** All sections, in the order of their tabs. The first one is shown at the start. */
export const SECTIONS: readonly Section[] = [
  { id: "run", label: "Run", Panel: RunSection },
  { id: "stories", label: "Stories", Panel: StoriesSection },
  {
    id: "check",
    label: "Check",
    // A recording isn't a server.
    isAvailable: ({ state }) => state.get().replay === undefined,
    Panel: CheckSection,
  },
  { id: "server", label: "Server", Panel: ServerSection },
  {
    id: "model",
    label: "Model chat",
    isAvailable: ({ state }) => state.get().chat !== undefined,
    Panel: ModelSection,
  },
  {
    id: "login",
    label: "Log-in",
    isAvailable: ({ state }) =>
      state.get().logins.some(({ isNeeded, isLoggedIn, steps }) => {
        return isNeeded || isLoggedIn || steps.length > 0;
      }),
    Panel: LoginSection,
  },
];
