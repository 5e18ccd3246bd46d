import { base32, equalsInConstantTime, randomName, type Signer } from "./digest.ts";

/** Proofs that a registration comes from an entrance page we served not long ago. */
export interface EntranceTokens {
  issue(): Promise<string>;
  /** The unique id of a valid token that hasn't expired; it may be used once. */
  check(token: unknown): Promise<string | undefined>;
}

/** How long an entrance may wait for its Host. */
export const TOKEN_TIME: number = 10 * 60_000;
const PATTERN = /^([0-9]{1,16})\.([a-z2-7]{32})\.([a-z2-7]{32})$/;

/** Creates and checks tokens; nothing is stored until one is used. */
export function createTokens(signer: Signer, clock: () => number): EntranceTokens {
  const mark = async (until: string, name: string): Promise<string> =>
    base32(await signer.sign(["entrance", until, name])).slice(0, 32);
  return {
    issue: async () => {
      const until = String(clock() + TOKEN_TIME);
      const name = randomName();
      return `${until}.${name}.${await mark(until, name)}`;
    },
    check: async (token) => {
      const [, until, name, found] = PATTERN.exec(typeof token === "string" ? token : "") ?? [];
      if (until === undefined || name === undefined || found === undefined) return undefined;
      const isOurs = equalsInConstantTime(found, await mark(until, name));
      return isOurs && Number(until) > clock() ? name : undefined;
    },
  };
}
