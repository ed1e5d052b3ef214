// Bundle that only the pages with scripts load: see components/code.tsx.
export { countChanges, mapLines } from "./lines";
export type { LineProblem } from "./problems";
export type { Remark } from "./remarks";
export type { Language } from "./language";
export { CodeView, type CodeOptions } from "./view";
