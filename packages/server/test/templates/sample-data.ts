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
