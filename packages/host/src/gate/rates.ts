/** Requests one more; false if it is too many. */
export type Rate = () => boolean;

/** Allows at most this many per span of milliseconds. */
export function createRate(count: number, span: number): Rate {
  const passed: number[] = [];
  return () => {
    const now = performance.now();
    const oldest = passed[0];
    if (passed.length >= count && oldest !== undefined && now - oldest < span) return false;
    if (passed.push(now) > count) passed.shift();
    return true;
  };
}

/** Passes on the newest of many values. */
export interface Throttle<T> {
  push(value: T): void;
  /** Drops the waiting value. */
  stop(): void;
  /** Passes on the waiting value at once. */
  flush(): void;
}

/** Passes on the first value at once, then the newest once per span of milliseconds. */
export function createThrottle<T>(span: number, deliver: (value: T) => void): Throttle<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: [T] | undefined;
  const take = (): [T] | undefined => {
    clearTimeout(timer);
    timer = undefined;
    const newest = waiting;
    waiting = undefined;
    return newest;
  };
  const pass = (value: T): void => {
    timer = setTimeout(() => {
      const newest = take();
      if (newest) pass(newest[0]);
    }, span);
    deliver(value);
  };
  return {
    push: (value) => {
      if (timer) waiting = [value];
      else pass(value);
    },
    stop: () => void take(),
    flush: () => {
      const newest = take();
      if (newest) deliver(newest[0]);
    },
  };
}
