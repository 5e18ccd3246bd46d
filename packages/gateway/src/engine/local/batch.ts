import { checkSize, EngineError } from "../engine-error.ts";

const ID = /^[\x21-\x7e]{1,128}$/;

export function batchBytes(batch: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const record of batch) bytes += record.length;
  return bytes;
}

/** Rejects an invalid batch. */
export function checkBatch(
  batch: readonly Uint8Array[],
  { id, most }: { id: string | undefined; most: number },
): void {
  if (batch.length === 0 || batch.length > 0xffff) {
    const text = `A batch can't have ${batch.length} records. Append 1 to 65,535.`;
    throw new EngineError("invalid", text);
  }
  if (id !== undefined && !ID.test(id)) {
    const shown = JSON.stringify(id.slice(0, 80));
    throw new EngineError(
      "invalid",
      `${shown} isn't a valid id. Use up to 128 ASCII characters without blanks.`,
    );
  }
  checkSize("The batch", batchBytes(batch), most);
}
