import type { BrokenView } from "./broken-view.ts";

const APP = `import { App } from "@vitrine/view";
import { format } from "./format.ts";

const root = document.getElementById("app") as HTMLElement;
const app = new App({ name: "orders", version: "1.0.0" });
`;
const FORMAT = `interface Order { total: { amount: number } }

export function format(order: Order): string {
  return order.total.amount.toFixed(2);
}
`;

const vanilla = (
  name: string,
  main: string,
  rest: Omit<BrokenView, "name" | "files">,
): BrokenView => ({
  name: `vanilla-${name}`,
  files: { "main.ts": `${APP}${main}\n`, "format.ts": FORMAT },
  ...rest,
});

/** Without a framework. */
export const VANILLA_VIEWS: readonly BrokenView[] = [
  vanilla("start", `root.textContent = format({} as never);\nawait app.connect();`, {
    file: "format.ts",
    at: "toFixed",
    cause: /Cannot read properties of undefined \(reading 'amount'\)/,
  }),
  vanilla(
    "result",
    `app.ontoolresult = ({ structuredContent }) => {\n  root.textContent = format((structuredContent as never)["missing"]);\n};\nawait app.connect();`,
    { file: "format.ts", at: "toFixed", cause: /reading 'total'/ },
  ),
  vanilla(
    "click",
    `root.innerHTML = "<button>Pay</button>";\nroot.onclick = () => {\n  throw new RangeError("the card has expired");\n};\nawait app.connect();`,
    { file: "main.ts", at: "expired", cause: /RangeError: the card has expired/, press: "Pay" },
  ),
  vanilla(
    "rejection",
    `root.textContent = "Orders";\nasync function load() {\n  await app.connect();\n  throw new Error("the orders are locked");\n}\nvoid load();`,
    { file: "main.ts", at: "locked", cause: /the orders are locked/ },
  ),
  vanilla(
    "rejected-text",
    `root.textContent = "Orders";\nawait app.connect();\nvoid Promise.reject("no orders today");`,
    { file: "main.ts", at: "no orders", cause: /no orders today/ },
  ),
  vanilla(
    "timer",
    `root.textContent = "Orders";\nawait app.connect();\nsetTimeout(() => {\n  (null as never as Date).getTime();\n}, 50);`,
    { file: "main.ts", at: "getTime", cause: /reading 'getTime'/ },
  ),
  vanilla(
    "never-connects",
    `root.textContent = "Orders " + app.constructor.name.length;\nif (root.id === "x") await app.connect();`,
    {
      file: "main.ts",
      at: "connect()",
      cause: /connect|ui\/initialize/,
    },
  ),
  vanilla(
    "blank",
    `app.ontoolresult = () => {};\nawait app.connect();\nif (root.id === "x") format({} as never);`,
    {
      file: "main.ts",
      at: "ontoolresult",
      cause: /nothing/i,
    },
  ),
];
