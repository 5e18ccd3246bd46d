import { closedError } from "@vitrine/gateway/engine";
import type { Connection } from "./connection.ts";
import { timeoutError } from "./nats-error.ts";
import { type FeedOptions, OrderedFeed } from "./ordered-feed.ts";

const LIST_TIME = 20_000;

/** Reads the newest message of each subject; what a break repeats begins with another `onBegin`. */
export async function readNewest(
  connection: Connection,
  options: Pick<FeedOptions, "stream" | "filter" | "headersOnly" | "onBegin" | "onMessage">,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stopHearing();
      feed.close();
    };
    const timer = setTimeout(() => {
      end();
      reject(timeoutError(`Listing ${options.stream}`, LIST_TIME));
    }, LIST_TIME);
    const stopHearing = connection.onClose(() => {
      end();
      reject(closedError());
    });
    const feed = new OrderedFeed(connection, {
      ...options,
      from: () => "last",
      onCaughtUp: () => {
        end();
        resolve();
      },
      // It tries again until the time is over.
      onError: () => {},
    });
  });
}
