// Explanations for developers, apart from the host itself, which loads them only when it shows them.

export { type Explanation, explainDiagnostic } from "./diagnostic-messages.ts";
