/** Languages of apps. */
export type Language = "STARLARK" | "TYPESCRIPT";
