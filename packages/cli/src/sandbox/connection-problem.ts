import { printable } from "@vitrine/protocol/printable";
import { type Problem, problem } from "./problem.ts";

/** A failed connection in words. */
export function connectionProblem(url: string, error: unknown): Problem {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  const name = new URL(url).hostname;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "ENODATA") {
    const cause = `The name ${name} has no address in the DNS.`;
    const remedy = `Add a DNS record for ${name} that points to the sandbox or its proxy.`;
    return problem("unknown-name", url, { cause, remedy });
  }
  if (isCertificateFault(code)) {
    const cause = `The certificate for ${name} is not valid: ${printable(message || code)}.`;
    const remedy = `Install a certificate from a public authority that contains ${name}.`;
    return problem("certificate", url, { cause, remedy });
  }
  const why = code === "ABORT_ERR" || code === "ETIMEDOUT" ? "no answer in time" : code || message;
  const cause = `${new URL(url).origin} can't be reached: ${printable(why)}.`;
  const remedy =
    "Start the sandbox, and check that its port is open and that the proxy in front of it runs.";
  return problem("unreachable", url, { cause, remedy });
}

/** Whether the server was reached and its certificate was the reason to end the connection. */
export function isCertificateFault(code: string): boolean {
  return /^ERR_TLS_CERT|^CERT_|CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code);
}
