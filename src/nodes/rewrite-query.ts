import { evidenceToRead } from "../reading/evidence.js";
import type { Node } from "../state/node.js";
import type { Tools } from "../state/tools.js";
import { plainWithoutMarks } from "../text/tokens.js";
import { holds } from "../types/answer.js";
import { NOTHING_FOUND, queryOf } from "./understand.js";

/**
 * Rephrases the question, for retrieval only. A query that was tried before is not tried again. A question that can be read
 * in another way is asked again in that way instead.
 */
export const rewriteQuery =
  ({ rewriter }: Pick<Tools, "rewriter">): Node =>
  async (state, { call }) => {
    const { understood, queries } = state;
    if (!understood) return {};
    const { question, language, modelLeads, otherwise } = understood;
    if (otherwise) {
      const read = { ...otherwise, language, ...(modelLeads && { modelLeads }) };
      return { ...NOTHING_FOUND, understood: read, queries: [...queries, queryOf(otherwise, state.question)] };
    }
    const { draft } = state;
    const missing = state.report?.missing || draft?.missing || state.verdict?.missing || "";
    const tried = queries.map((query) => query.text);
    const task = { question, language, evidence: evidenceToRead(state), queries: tried, missing };
    const text = await rewriter.rewrite(task, call);
    const isTried = tried.some((query) => plainWithoutMarks(query) === plainWithoutMarks(text));
    if (!text.trim() || isTried) return misled(state);
    const reason = { code: "reworded" as const, ...(missing && { missing }) };
    return { queries: [...queries, { text: text.trim(), reason }], ...misled(state) };
  };

/** Excludes from the next retrieval the evidence that only rejected claims cite: it misled the draft. */
function misled({ excluded, report }: Parameters<Node>[0]) {
  const restingOn = (wanted: boolean) =>
    report?.claims.filter((c) => holds(c) === wanted).flatMap((c) => c.quotes.map((q) => q.evidenceId));
  const good = new Set(restingOn(true));
  const bad = restingOn(false)?.filter((id) => !good.has(id)) ?? [];
  return { excluded: [...new Set([...excluded, ...bad])] };
}
