// What `bundled-script.ts`, and Vite for `?raw`, make of these imports.

declare module "*?script" {
  const text: string;
  export default text;
}

declare module "*?script&official" {
  const text: string;
  export default text;
}

declare module "*?raw" {
  const text: string;
  export default text;
}
