// Bundle that only the pages with scripts load: see components/code.tsx.
export { countChanges, mapLines } from "./lines";
export type { LineProblem } from "./problems";
export type { Remark } from "./remarks";
export { CodeView, type CodeOptions, type Language } from "./view";
