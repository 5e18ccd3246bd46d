import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./api-types.ts";

/** The signed-in administrator, for the parts below the shell. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Whether buttons that change something are shown. The API decides again on every request. */
export function useMayChange(): boolean {
  return useContext(SessionContext)?.role === "operator";
}
