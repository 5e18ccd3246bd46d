import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ProgressConfig } from "../../src/templates/progress.ts";
import { type ProgressState, progressIn } from "../../src/templates/progress-state.ts";
import {
  type BodyProps,
  type CallProgress,
  dataOf,
  isBlank,
  own,
  textOf,
  useShell,
} from "../shell/shell.tsx";

const INTERVAL = 2000;
const SHORTEST = 250;
// A server that is restarted answers again; one that is gone should not be asked for ever.
const PATIENCE = 3;
const MOST_REMEMBERED = 50;

const START: ProgressState = {
  status: "running",
  percent: undefined,
  step: undefined,
  steps: [],
  error: undefined,
};

/** The work as it is known, and how it is asked about. */
export interface Work {
  state: ProgressState;
  /** The earlier steps, if the server doesn't send a list of steps. */
  past: readonly string[];
  /** Why nobody asks any more, if nobody does though the work goes on. */
  lost: string | undefined;
  /** Asks again. */
  retry(): void;
  /** Takes something newer for the state, such as the answer of the tool that cancels. */
  take(data: unknown): void;
  /** Arguments that both tools get. */
  shared: Record<string, unknown>;
}

/** Follows the work by its results, and by the tool that tells of it. */
export function useWork({ config, data, input, result }: BodyProps<ProgressConfig, unknown>): Work {
  const [state, setState] = useState<ProgressState>(START);
  const [past, setPast] = useState<readonly string[]>([]);
  const update = useCallback((change: (before: ProgressState) => ProgressState) => {
    setState((before) => {
      const after = change(before);
      const { step } = before;
      const isPast = after.status === "running" || after.status === "done";
      if (step !== undefined && step !== after.step && isPast) {
        setPast((known) =>
          [...known.filter((item) => item !== step), step].slice(-MOST_REMEMBERED),
        );
      }
      return after;
    });
  }, []);
  const take = useCallback(
    (data: unknown) => {
      const next = progressIn(data);
      if (next) update(({ percent }) => ({ ...next, percent: next.percent ?? percent }));
    },
    [update],
  );
  useEffect(() => {
    const next = progressIn(data);
    if (next) update(() => next);
    else if (result && config.pollTool === undefined) {
      const isHollow = (data === undefined || isBlank(data)) && !textOf(result);
      // An empty result: nothing has begun. Any other that tells of no progress: the work is over.
      update((before) =>
        isHollow
          ? { ...START, status: "notStarted" }
          : { ...before, status: "done", percent: 100, step: textOf(result) || before.step },
      );
    }
  }, [data, result, config, update]);
  const shared = useMemo(() => {
    const pairs = (config.passOn ?? []).map(
      (key) => [key, own(data, key) ?? own(input, key)] as const,
    );
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  }, [config, data, input]);
  const isAsked = result !== undefined && state.status === "running";
  const { lost, retry } = usePolling(config, shared, isAsked, { take, update });
  return { state, past, lost, retry, take, shared };
}

/** Calls the tool that tells of the work, again and again while it runs. */
function usePolling(
  { pollTool, pollArgs, pollInterval = INTERVAL }: ProgressConfig,
  shared: Record<string, unknown>,
  isAsked: boolean,
  {
    take,
    update,
  }: {
    take(data: unknown): void;
    update(change: (before: ProgressState) => ProgressState): void;
  },
): { lost: string | undefined; retry(): void } {
  const { app, label } = useShell();
  const [lost, setLost] = useState<string>();
  const args = useRef({});
  args.current = { ...pollArgs, ...shared };
  const isOn = isAsked && lost === undefined && pollTool !== undefined;
  useEffect(() => {
    if (!isOn) return undefined;
    const onprogress = ({ progress, total, message }: CallProgress): void => {
      const next = progressIn({ progress, ...(total !== undefined && { total }), message });
      // Work that reports progress is running; only its result ends it.
      if (next)
        update(({ step, ...rest }) => ({
          ...rest,
          percent: next.percent,
          step: next.step ?? step,
        }));
    };
    const ask = async (signal: AbortSignal): Promise<void> => {
      const call = { name: pollTool, arguments: args.current };
      const answer = await app.callServerTool(call, { signal, onprogress });
      if (answer.isError) throw new Error(textOf(answer) || label("failed"));
      if (!signal.aborted) take(dataOf(answer));
    };
    return repeat(ask, Math.max(SHORTEST, pollInterval), setLost);
  }, [isOn, app, label, pollTool, pollInterval, take, update]);
  return { lost, retry: useCallback(() => setLost(undefined), []) };
}

/** Asks until it is stopped, by what it returns, or until too many answers in a row were failures. */
function repeat(
  ask: (signal: AbortSignal) => Promise<void>,
  interval: number,
  onLost: (reason: string) => void,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  let failures = 0;
  const turn = async (): Promise<void> => {
    try {
      await ask(signal);
      failures = 0;
    } catch (error) {
      failures++;
      if (failures >= PATIENCE && !signal.aborted) {
        onLost((error as Error).message);
        return;
      }
    }
    if (!signal.aborted) timer = setTimeout(turn, interval);
  };
  let timer = setTimeout(turn, SHORTEST);
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}
