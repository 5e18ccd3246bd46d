/** How something reached the attacker. `dns` is a mere look-up: the name alone can carry a secret. */
export type EvidenceKind = "http" | "ws" | "tcp" | "udp" | "dns";

export interface Evidence {
  readonly kind: EvidenceKind;
  readonly detail: string;
}

const MARK = /(?:^|[.-])(rt[0-9a-z]{8})(?=[.-]|$)/i;

/** The cell a host name belongs to: every cell attacks names of its own, so hits cannot be mixed up. */
export function cellOfName(name: string | undefined): string | undefined {
  return MARK.exec(name ?? "")?.[1]?.toLowerCase();
}

/**
 * Evidence from outside the browser, per cell. Judged once, at the end of a run, so that a hit that
 * comes after its page was closed still counts.
 */
export class EvidenceLog {
  readonly #cells = new Map<string, Evidence[]>();
  #last = 0;

  newCell(): string {
    this.#last += 1;
    const cell = `rt${this.#last.toString(36).padStart(4, "0")}${process.pid.toString(36).padStart(4, "0").slice(-4)}`;
    this.#cells.set(cell, []);
    return cell;
  }

  note(cell: string | undefined, kind: EvidenceKind, detail: string): void {
    if (cell !== undefined) this.#cells.get(cell)?.push({ kind, detail });
  }

  of(cell: string): readonly Evidence[] {
    return this.#cells.get(cell) ?? [];
  }
}
