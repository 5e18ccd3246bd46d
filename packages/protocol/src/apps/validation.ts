// Reading untrusted messages, apart from the rest: a page that counts bytes loads it while it waits
// for something else. Adding a name here makes it public.

export { describeMismatch, type Mismatch } from "./mismatch.ts";
export {
  type ValidateOptions,
  type Validation,
  validateMeta,
  validateNotification,
  validateRequest,
  validateResult,
} from "./validate.ts";
