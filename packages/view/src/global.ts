// The script-tag build: everything a page without a bundler needs, under one global name.

import { App } from "./app.ts";
import { applyContainerDimensions } from "./container.ts";
import { grantedPermissions } from "./permissions.ts";
import {
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  getDocumentTheme,
} from "./styles.ts";
import { PostMessageTransport } from "./transport.ts";

Object.assign(globalThis, {
  Vitrine: {
    App,
    PostMessageTransport,
    applyContainerDimensions,
    applyDocumentTheme,
    applyHostFonts,
    applyHostStyleVariables,
    getDocumentTheme,
    grantedPermissions,
  },
});
