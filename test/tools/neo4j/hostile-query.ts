import type { GraphRow } from "../../../src/types/knowledge.js";

/** A hostile query that must do no harm. */
export interface HostileQuery {
  kind: string;
  cypher: string;
  parameters?: GraphRow;
  /** "refused": by the guard. "bounded": it may run, and is ended by a limit or a timeout. */
  expect: "refused" | "bounded";
  /**
   * The effect in READ access mode without the guard. "unsafe": it would end the server or block one of its threads for
   * minutes, so that no test runs it. "open": it runs if LOAD CSV from files is allowed.
   */
  bare: "runs" | "fails" | "open" | "unsafe";
}

export function refused(kind: string, bare: HostileQuery["bare"], queries: readonly string[]): HostileQuery[] {
  return queries.map((cypher) => ({ kind, cypher, expect: "refused", bare }));
}

export function bounded(kind: string, queries: readonly string[]): HostileQuery[] {
  return queries.map((cypher) => ({ kind, cypher, expect: "bounded", bare: "unsafe" }));
}

export const long = (text: string, times: number) => text.repeat(times);

export function many(times: number, text: (i: number) => string, between: string): string {
  return Array.from({ length: times }, (_, i) => text(i)).join(between);
}
