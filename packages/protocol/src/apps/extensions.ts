/**
 * Host-kept View state, our extension: the Host lists it under `hostCapabilities.experimental`, puts
 * the last value into the host context under the same key, and takes new values as notifications.
 * Both places are the ones the official View leaves untouched.
 */
export const STATE_EXTENSION = "vitrine/state";
