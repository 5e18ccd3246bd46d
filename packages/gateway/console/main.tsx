// The console of the gateway's admin port.

import { render } from "preact";
import { App } from "./parts/app.tsx";
import { applyTheme, savedTheme } from "./theme.ts";

applyTheme(savedTheme());
render(<App />, document.getElementById("root") as HTMLElement);
