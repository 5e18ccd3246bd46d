/**
 * The custom properties a text uses without saying what to do when they are missing: a Host may send
 * any subset of its variables, or none (VEW-26).
 */
export function variablesWithoutFallback(css) {
  return [...css.matchAll(/var\(\s*(--[\w-]+)\s*\)/g)].map(([, name]) => name);
}
