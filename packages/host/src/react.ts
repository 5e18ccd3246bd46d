import {
  type CSSProperties,
  createElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import type { Diagnostic } from "./diagnostic.ts";
import { MCP_APP_PROPERTIES, type McpAppElement, type McpAppProperties } from "./element.ts";

/** What `<McpApp>` takes. */
export interface McpAppProps extends McpAppProperties {
  className?: string | undefined;
  style?: CSSProperties | undefined;
  /** Seen until the View is, and when it cannot be: the result as text, for example. */
  fallback?: ReactNode;
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/**
 * Shows a View. Its frame lives on when the component is keyed anew, rendered elsewhere, or mounted
 * twice by StrictMode, as long as `app.key` stays the same.
 */
export function McpApp(props: McpAppProps): ReactElement {
  const { className, style, fallback, onDiagnostic } = props;
  const ref = useRef<McpAppElement>(null);
  const listener = useRef(onDiagnostic);

  useOnClient(() => {
    listener.current = onDiagnostic;
    for (const name of MCP_APP_PROPERTIES) {
      const element = ref.current;
      // Only what changed: a setter wakes the element.
      if (element && element[name] !== props[name]) Object.assign(element, { [name]: props[name] });
    }
  });
  useOnClient(() => {
    const element = ref.current;
    const tell = (event: Event): void =>
      listener.current?.((event as CustomEvent<Diagnostic>).detail);
    element?.addEventListener("diagnostic", tell);
    element?.attach();
    return () => {
      element?.removeEventListener("diagnostic", tell);
      // React runs this before it removes the node; a frame that is removed is gone.
      element?.detach();
    };
  }, []);

  // `class`, because React 18 knows no `className` on a custom element.
  const attributes = { ref, class: className, style };
  return createElement(
    "mcp-app",
    attributes,
    fallback === undefined ? null : createElement("div", { slot: "fallback" }, fallback),
  );
}

// On a server React 18 warns about layout effects, and neither kind runs.
const useOnClient = globalThis.document ? useLayoutEffect : useEffect;
