import { execFileSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  key: Buffer;
  cert: Buffer;
}

/** A self-signed certificate made at start: no key is ever committed, none outlives the run. */
export function makeCertificate(names: readonly string[]): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-redteam-tls-"));
  const key = join(folder, "key.pem");
  const cert = join(folder, "cert.pem");
  try {
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-days", "2", "-subj", "/CN=vitrine-redteam", "-keyout", key, "-out", cert],
        ...["-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`],
      ],
      { stdio: "ignore" },
    );
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The SHA-256 hash of a certificate's public key, as Chromium's command line takes it. */
export function keyHash({ cert }: Certificate): string {
  const key = new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(key).digest("base64");
}
