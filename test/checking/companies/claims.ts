import type { TextSource } from "../../../src/index.js";

export type Kind = "number" | "unit" | "date" | "name" | "negation" | "table row" | "list entry";

/** A company's files, and what is claimed of it: rightly or wrongly, in other words than the files'. */
export interface CompanyClaims {
  sources: readonly TextSource[];
  claims: Record<Kind, Record<"wrong" | "right", readonly string[]>>;
}
