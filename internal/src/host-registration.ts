/** The part of a View's registration that a page reads. */
export interface PageRegistration {
  viewId: string;
  proxyUrl: string;
  proxyOrigin: string;
  allow: string;
  grant: object;
  egress: string[];
  rejected: { list: string; value: string; code: string; reason: string }[];
  htmlHash: string;
  policyHash: string;
}

/** Registers a View through the server of the Host's page, as a product does; runs in that page. */
export async function registerView(view: object, path = "/register"): Promise<PageRegistration> {
  const response = await fetch(path, { method: "POST", body: JSON.stringify(view) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
