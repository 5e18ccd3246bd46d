import type { BrokenApp } from "./broken-app.ts";
import { DOCUMENT_FAULTS } from "./document-faults.ts";
import { PROTOCOL_FAULTS } from "./protocol-faults.ts";
import { SERVER_FAULTS } from "./server-faults.ts";

/** Apps that are broken on purpose, each for another reason. */
export const BROKEN_APPS: readonly BrokenApp[] = [
  ...SERVER_FAULTS,
  ...DOCUMENT_FAULTS,
  ...PROTOCOL_FAULTS,
];
