import type { BrokenView } from "./broken-view.ts";

const MAIN = `import { createRoot } from "react-dom/client";
import { Orders } from "./orders.tsx";

createRoot(document.getElementById("app") as HTMLElement).render(<Orders />);
`;
const HEAD = `import { useApp, useToolResult } from "@vitrine/view/react";
import { useEffect, useMemo, useState } from "react";

void [useEffect, useMemo, useState, useToolResult];
export function Orders() {
  const { app } = useApp({ appInfo: { name: "orders", version: "1.0.0" }, capabilities: {} });
`;

const react = (
  name: string,
  body: string,
  rest: Omit<BrokenView, "name" | "files" | "file"> & { file?: string },
): BrokenView => ({
  name: `react-${name}`,
  files: { "main.tsx": MAIN, "orders.tsx": `${HEAD}${body}\n}\n` },
  file: "orders.tsx",
  ...rest,
});

/** In React. */
export const REACT_VIEWS: readonly BrokenView[] = [
  react(
    "render",
    `  const list = (app as never as { orders: string[] } | undefined)?.orders;\n  return <p>{list!.length} orders</p>;`,
    {
      at: "list!.length",
      cause: /reading 'length'/,
    },
  ),
  react(
    "render-result",
    `  const result = useToolResult(app);\n  if (!result) return <p>Waiting</p>;\n  const { orders } = result as never as { orders: string[] };\n  return <p>{orders.join(", ")}</p>;`,
    { at: "orders.join", cause: /reading 'join'/ },
  ),
  react(
    "effect",
    `  useEffect(() => {\n    throw new TypeError("the chart has no axis");\n  }, []);\n  return <p>{app ? "Ready" : "Waiting"}</p>;`,
    { at: "no axis", cause: /the chart has no axis/ },
  ),
  react(
    "click",
    `  void app;\n  const pay = () => {\n    throw new Error("the basket is empty");\n  };\n  return <button type="button" onClick={pay}>Pay</button>;`,
    { at: "basket is empty", cause: /the basket is empty/, press: "Pay" },
  ),
  react(
    "async-effect",
    `  useEffect(() => {\n    const load = async () => {\n      await Promise.resolve();\n      throw new Error("the page has no orders");\n    };\n    void load();\n  }, []);\n  return <p>{app ? "Ready" : "Waiting"}</p>;`,
    { at: "no orders", cause: /the page has no orders/ },
  ),
  react(
    "memo",
    `  const total = useMemo(() => JSON.parse("{broken"), []);\n  return <p>{String(total)}{app ? 1 : 0}</p>;`,
    { at: "JSON.parse", cause: /JSON/ },
  ),
  react(
    "invalid-child",
    `  const order = { id: 1 } as never;\n  return <p>{order}{app ? 1 : 0}</p>;`,
    // React throws far from the component: its mount is the author's nearest line.
    { file: "main.tsx", at: "createRoot(document", cause: /not valid as a React child|error #31/ },
  ),
  react(
    "state-update",
    `  const [count, setCount] = useState(0);\n  const more = () => setCount((value) => (value as never as { next(): number }).next());\n  return <button type="button" onClick={more}>{count}{app ? 1 : 0} more</button>;`,
    { at: ".next()", cause: /next is not a function/, press: "more" },
  ),
];
