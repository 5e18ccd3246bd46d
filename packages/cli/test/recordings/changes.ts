/** A change of the view, and the message at which a replay must fail. */
export interface ViewChange {
  name: string;
  from: string;
  to: string;
  expected: RegExp;
}

/** Changes that a user would notice. */
export const CHANGES: readonly ViewChange[] = [
  {
    name: "another argument",
    from: "sent: box.checked }",
    to: "sent: !box.checked }",
    expected: /^Message \d+ of the view.*\n.*"sent":true\},"name":"set_sent".*\n.*"sent":false\},/,
  },
  {
    name: "a call that is missing",
    from: '$("sort").onchange = find;',
    to: '$("sort").onchange = null;',
    expected: /^Message \d+ of the view.*\n.*"sort":"down".*find_orders/,
  },
  {
    name: "a button with another name and place",
    from: "<button>Add</button></form>",
    to: "<button disabled>Save</button></form>",
    expected: /^Message \d+ of the view.*\n.*add_order/,
  },
];
