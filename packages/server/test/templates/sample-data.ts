// What servers might send, at its best.

import type { FormConfig } from "../../src/templates/index.ts";

const CUSTOMERS = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra"];

export const ORDERS = Array.from({ length: 60 }, (_, at) => ({
  order: `A-${1000 + at}`,
  customer: CUSTOMERS[at % CUSTOMERS.length],
  total: (19.5 * (at + 1) * 7) % 2000,
  placed: `2026-03-${String((at % 28) + 1).padStart(2, "0")}`,
  shipped: at % 3 === 0,
  note: at % 5 === 0 ? "Leave it with the neighbour if nobody opens" : null,
}));

export const SIGN_UP: FormConfig = {
  title: "Invite a colleague",
  description: "They get an e-mail with a link that works for seven days.",
  submitTool: "invite",
  submitArgs: { team: "compilers" },
  cancelable: true,
  labels: { submit: "Send invitation", submitting: "Sending…", submitted: "Invitation sent" },
  fields: [
    { name: "name", label: "Full name", required: true, placeholder: "Grace Hopper", minLength: 2 },
    { name: "email", type: "email", label: "E-mail", required: true },
    { name: "secret", type: "password", label: "Passphrase", help: "They are asked for it once." },
    { name: "seats", type: "number", label: "Seats", min: 1, max: 20, step: 1, default: 1 },
    {
      name: "role",
      type: "select",
      label: "Role",
      options: ["Reader", { value: 2, label: "Editor" }, { value: 3, label: "Owner" }],
      required: true,
    },
    { name: "starts", type: "date", label: "First day", min: "2026-01-01" },
    { name: "note", type: "textarea", label: "Personal note", maxLength: 200 },
    { name: "newsletter", type: "checkbox", label: "Send them the newsletter", default: true },
  ],
};

export const PATIENT = {
  name: "Ada Lovelace",
  born: "1815-12-10",
  bloodType: "0+",
  active: true,
  website: "https://example.com/ada",
  tags: ["mathematics", "poetry", "engines"],
  middleName: null,
  address: { street: "12 St James’s Square", city: "London", postcode: "SW1Y 4JH" },
  visits: [
    { id: "V-1", date: "2026-02-03T09:30:00Z", doctor: "Dr Turing", cost: 120.5 },
    { id: "V-2", date: "2026-03-17T14:00:00Z", doctor: "Dr Hopper", cost: 80 },
  ],
};

export const PICTURES = ["Lighthouse", "Ferry", "Cranes", "Fish market", "Old mill"].map(
  (caption, at) => ({
    src: picture(at),
    alt: `${caption} in the last light`,
    caption,
  }),
);

/** A drawing of its own for each place. */
function picture(at: number): string {
  const hue = (at * 67 + 200) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300">
<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="hsl(${hue} 60% 35%)"/><stop offset="1" stop-color="hsl(${hue + 40} 70% 70%)"/></linearGradient></defs>
<rect width="400" height="300" fill="url(#g)"/><circle cx="${90 + at * 50}" cy="90" r="34" fill="hsl(${hue + 60} 90% 88%)"/>
<path d="M0 220l80-60l70 50l90-90l160 120v60H0z" fill="hsl(${hue} 40% 18%)"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const SALES = MONTHS.map((month, at) => ({
  month,
  date: `2026-${String(at + 1).padStart(2, "0")}-01`,
  north: Math.round(1200 + 900 * Math.sin(at / 2) + at * 60),
  south: Math.round(900 + 400 * Math.cos(at / 3) + at * 30),
  east: 300 + at * 45,
  change: Math.round(40 * Math.sin(at)),
}));

export const BROWSERS = [
  { name: "Browsers made of Chromium", share: 64.2 },
  { name: "Safari", share: 19.1 },
  { name: "Firefox", share: 6.3 },
  { name: "Internet Explorer and others long gone", share: 2.4 },
  { name: "Opera", share: 1.9 },
];

/** Two days, hour by hour. */
export const HOURS = Array.from({ length: 49 }, (_, at) => ({
  time: new Date(Date.UTC(2026, 2, 14, at)).toISOString(),
  requests: Math.round(820 + 600 * Math.sin(((at - 8) / 12) * Math.PI) + 40 * Math.sin(at * 2)),
  errors: Math.round(60 + 50 * Math.cos(at / 5)),
}));

const REGIONS = ["Africa", "Asia", "Europe", "North America", "Oceania", "South America", "Other"];

/** More series than a chart shows separately. */
export const VISITS = SALES.slice(0, 8).map(({ month }, at) => ({
  month,
  ...Object.fromEntries(
    [...REGIONS, "Antarctica"].map((region, place) => [
      region,
      Math.round(240 + 160 * Math.sin(at / 2 + place) + place * 60),
    ]),
  ),
}));

const file = (label: string, meta?: string) => ({ id: label, label, ...(meta && { meta }) });
export const LONG_NAME =
  "a-name-so-long-that-it-does-not-fit-into-a-narrow-view-and-is-cut-off.test.ts";

export const FILES = [
  {
    id: "src",
    label: "src",
    meta: "4 files",
    children: [
      file("index.ts", "1.2 kB"),
      {
        id: "templates",
        label: "templates",
        children: [file("kanban.ts", "3.4 kB"), { ...file("tree.ts"), iconChar: "★ and more" }],
      },
      { id: "empty", label: "empty", children: [] },
    ],
  },
  { id: "test", label: "test", children: [file(LONG_NAME, "12 kB")] },
  ...Array.from({ length: 8 }, (_, at) => ({ ...file(`file-${at}.md`), icon: "note" })),
];

const values = Array.from({ length: 20 }, (_, at) => `export const value${at} = ${at * 7};`);
const left = `import { readFile } from "node:fs/promises";

// Reads a configuration.
export async function load(path) {
  const text = await readFile(path, "utf8");
  return JSON.parse(text);
}

${values.join("\n")}

export function save(path, value) {
  writeFileSync(path, JSON.stringify(value));
}
`;
const right = left
  .replace('readFile(path, "utf8")', 'readFile(path, { encoding: "utf8" })')
  .replace("// Reads a configuration.\n", "")
  .replace("  writeFileSync(path, ", "  const text = tidy(value);\n  await writeFile(path, ");
export const CHANGE = { left, right, leftTitle: "config.js", rightTitle: "config.ts" };
