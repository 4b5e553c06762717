import type { GraphRow } from "../../../src/types/knowledge.js";

/** A query that must do no harm, whoever wrote it. */
export interface HostileQuery {
  kind: string;
  cypher: string;
  parameters?: GraphRow;
  /** "refused": by the guard. "bounded": it may run, and is ended by a limit or by the time. */
  expect: "refused" | "bounded";
  /**
   * What becomes of it in READ access mode with no guard. "unsafe": it would end the server or hold a thread of it for
   * minutes, so that no test runs it. "open": it runs where LOAD CSV is open.
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
