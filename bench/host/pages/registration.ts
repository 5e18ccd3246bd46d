/** What a Host learns of a View that it registered, as far as the bench needs it. */
export interface Registered {
  proxyUrl: string;
  proxyOrigin: string;
}

/** Registers a View through the Host's own server side, which holds the Sandbox. */
export async function register(view: object): Promise<Registered> {
  const body = JSON.stringify(view);
  return (await fetch("/register", { method: "POST", body })).json();
}
