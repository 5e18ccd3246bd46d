import { defence, edit } from "./host-defence.ts";

/** Defences of a view's place in the page, its name, its end and its record. */
export const VIEW_DEFENCES = [
  defence(
    "scroll-shield",
    [edit("host/src/surface/layout-shield.ts", "  cover(left);\n")],
    ["host-scrolled-target"],
  ),
  defence(
    "layout-shield",
    [edit("host/src/surface/layout-shield.ts", "if (boxes.length === 0 || ", "if (boxes || ")],
    ["host-double-click", "host-double-click-fullscreen", "host-moved-target"],
  ),
  defence(
    "page-return",
    [edit("host/src/host.ts", "if (persisted) for", "if (!views) for")],
    ["host-page-kept"],
  ),
  defence(
    "plain-names",
    [edit("host/src/plain-name.ts", '.replace(UNWANTED, "")')],
    ["host-bar-names"],
  ),
  defence(
    "download-types",
    [
      edit(
        "protocol/src/apps/download-name.ts",
        'type === "" || inert.has(type) ? safe',
        "type || inert ? safe",
      ),
    ],
    ["host-download-names"],
  ),
  defence(
    "context-end",
    [edit("host/src/model/view-context.ts", "this.#all.delete(this.#key);")],
    ["host-model-context", "host-context-end", "host-crash"],
  ),
  defence(
    "context-last-words",
    [
      edit(
        "host/src/view-controller.ts",
        "const isLeaving = session !== this.#session;",
        "const isLeaving = !1;",
      ),
    ],
    ["host-model-context"],
  ),
  defence(
    "context-of-stopped",
    [edit("host/src/view-controller.ts", "= this.#modelContext.remove();", "= false;")],
    ["host-context-end", "host-context-sequences"],
  ),
  defence(
    "context-of-crashed",
    [edit("host/src/view-controller.ts", "else this.#modelContext.hide();")],
    ["host-crash"],
  ),
  defence(
    "record-owner",
    [edit("host/src/view-record.ts", "record[name] === owner[name]", "name in owner || name")],
    ["host-record"],
  ),
  defence(
    "record-version",
    [
      edit(
        "host/src/record-keeper.ts",
        "...(!keepsState && dropped)",
        "...(keepsState && dropped)",
      ),
    ],
    ["host-record"],
  ),
];
