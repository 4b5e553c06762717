import type { TextSource } from "../../../src/index.js";

export type Kind = "number" | "unit" | "date" | "name" | "negation" | "table row" | "list entry";

/** The files of a company, and right and wrong claims about it in words that differ from the files. */
export interface CompanyClaims {
  sources: readonly TextSource[];
  claims: Record<Kind, Record<"wrong" | "right", readonly string[]>>;
}
