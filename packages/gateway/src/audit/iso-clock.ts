/**
 * The time as ISO 8601 text. Everything but the milliseconds is formatted once a second, because formatting a
 * date takes microseconds and every record has one.
 */
export function isoClock(): () => string {
  let last = 0;
  let second = 0;
  let upToSecond = "";
  let text = "";
  return () => {
    const now = Date.now();
    if (now === last) return text;
    const past = now % 1000;
    if (now - past !== second) {
      second = now - past;
      upToSecond = new Date(second).toISOString().slice(0, -"000Z".length);
    }
    last = now;
    text = `${upToSecond}${String(past).padStart(3, "0")}Z`;
    return text;
  };
}
