// What the page remembers, and how it asks its user.

/** What Views have said in the conversation. */
export const conversation: { role: string; text: string }[] = [];

/** What each View wants the model to know. */
export const modelContext = new Map<number, string[]>();

/** For whoever reviews the Host. */
export const log: string[] = [];

/** Asks in a dialog of the page. */
export function ask(what: string): Promise<boolean> {
  return new Promise((resolve) => {
    const dialog = document.createElement("dialog");
    for (const name of ["allow", "deny"]) {
      const button = document.createElement("button");
      button.className = name;
      button.textContent = `${name} ${what}`;
      button.onclick = () => {
        dialog.remove();
        resolve(name === "allow");
      };
      dialog.append(button);
    }
    document.body.append(dialog);
    dialog.showModal();
  });
}
