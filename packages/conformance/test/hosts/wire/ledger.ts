// The page's records, and its questions to the user.

/** The messages of views in the conversation. */
export const conversation: { role: string; text: string }[] = [];

/** The model context of each view. */
export const modelContext = new Map<number, string[]>();

/** For reviews of the host. */
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
