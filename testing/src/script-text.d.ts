// What `bundled-script.ts` makes of these imports.

declare module "*?script" {
  const text: string;
  export default text;
}

declare module "*?script&official" {
  const text: string;
  export default text;
}
