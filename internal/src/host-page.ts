// The program of a Host's page in end-to-end tests, when a test brings none of its own.

import * as vitrine from "@vitrine/host";
import { registerView } from "./host-registration.ts";

declare global {
  interface Window {
    /** The host package, as a page that installed it has it. */
    vitrine: typeof vitrine;
    /** For `sandbox: { register: registerView }`. */
    registerView: typeof registerView;
  }
}

Object.assign(window, { vitrine, registerView });
