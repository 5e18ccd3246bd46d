// Validation of untrusted messages, in a separate entry so that pages can load it later. Adding a name
// here makes it public.

export { describeMismatch, type Mismatch } from "./mismatch.ts";
export {
  type ValidateOptions,
  type Validation,
  validateMeta,
  validateNotification,
  validateRequest,
  validateResult,
} from "./validate.ts";
