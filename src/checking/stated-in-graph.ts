import { valueIn } from "../language/disagree.js";
import { plain } from "../language/tokens.js";
import { relationWords } from "../tools/knowledge/facts.js";
import type { Fact, KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Finding } from "./stages.js";

/**
 * What a knowledge graph says to a sentence of the form "the <relation> of <entity> is <value>": it has that value, it has
 * one other value and no more, or it says nothing. A sentence that goes on behind the value is never supported by it.
 */
export async function statedInGraph(claim: string, knowledge: KnowledgeGraph, signal: AbortSignal): Promise<Finding> {
  const facts = await knowledge.facts([], claim, { limit: FACTS, signal });
  for (const fact of facts) {
    const value = saidOf(claim, fact);
    if (value === undefined) continue;
    const all = fact.others.join(", ");
    if (fact.others.some((other) => folded(other) === folded(value)))
      return GOES_ON.test(claim) ? {} : { verdict: "supported", reason: `The knowledge graph says so: ${all}.` };
    if (fact.total === 1) return { verdict: "contradicted", reason: `The knowledge graph says ${all}, not ${value}.` };
  }
  return {};
}

const FACTS = 20;
const GOES_ON = /[,，;；:：(（]/;

const saidOf = (claim: string, { direction, entity, predicate }: Fact) =>
  direction === "out" ? valueIn(claim, { entity, predicate: relationWords(predicate) }) : undefined;

const folded = (text: string) =>
  plain(text)
    .replace(/[\s\p{P}]+/gu, " ")
    .trim();
