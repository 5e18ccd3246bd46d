// A whole View in React, as an author would write it: no option but the two that are required.

import { useApp, useHostContext, useHostStyles, useToolInput } from "@vitrine/view/react";
import { type ReactNode, StrictMode, useEffect } from "react";
import { createRoot } from "react-dom/client";

function View(): ReactNode {
  const { app } = useApp({ appInfo: { name: "page", version: "1.0.0" }, capabilities: {} });
  useHostStyles(app);
  const locale = useHostContext(app)?.locale;
  const input = useToolInput(app);
  useEffect(() => {
    if (!input) return;
    const font = document.documentElement.style.getPropertyValue("--font-sans");
    void app?.notification({
      method: `shows: ${locale} ${font} ${JSON.stringify(input.arguments)}`,
    });
  }, [app, locale, input]);
  return <p>{locale}</p>;
}

createRoot(document.body.appendChild(document.createElement("main"))).render(
  <StrictMode>
    <View />
  </StrictMode>,
);
