// The entrance's page sends these next to the body, so that the server can reject a registration before
// it reads a document of several megabytes.

/** Proof that the registration comes from an entrance page that the Sandbox served. */
export const TOKEN_HEADER = "vitrine-token";

/** The credential that the host's server issued for this View, if there is one. */
export const CREDENTIAL_HEADER = "vitrine-credential";
