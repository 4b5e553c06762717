import { z } from "zod";
import { sentences } from "../../../text/sentences.js";
import type { Triple } from "../../knowledge/port.js";
import type { Ontology, TripleExtractor } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { extractPrompt } from "./extract-prompt.js";
import { completeItems } from "./json.js";
import { list, words } from "./schema.js";

/**
 * Reads triples by one call to a model for each passage, under an ontology where there is one. A triple's quote is the
 * sentence that the model names; where there is no such sentence, there is no triple.
 */
export function modelExtractor(chat: Chat, ontology?: Ontology): TripleExtractor {
  return {
    identity: `model.${VERSION} ${chat.name}`,
    atOnce: 2,
    async extract(passage, call) {
      const parts = sentences(passage.text).map(({ start, end }) => passage.text.slice(start, end));
      if (parts.length === 0) return [];
      const about = [passage.title, passage.section].filter((part) => part !== "").join(" › ");
      const prompt = extractPrompt(about, parts, ontology);
      const reply = await ask(chat, { name: "extract", prompt, schema: Reply, salvage }, call);
      return reply.facts.flatMap((fact) => tripleOf(fact, parts));
    },
  };
}

/** Raise it when the prompt changes: what was read before is then read anew. */
const VERSION = 1;

const Fact = z.object({
  subject: words(120),
  subjectType: words(40),
  relation: words(60),
  object: words(200),
  objectType: words(40),
  // A number, so that an endpoint that holds to the schema keeps the model from writing the sentence out.
  sentence: z.preprocess(numberIn, z.number()),
});
const Reply = z.object({ facts: list(Fact, 12) });

/** 3 for 3, "3", "1.3" and "[1.3]"; 0, which is no sentence, for anything else. */
function numberIn(value: unknown): number {
  if (typeof value === "number") return value;
  return Number(/^\D{0,2}(?:\d+\.)?(\d+)\D{0,2}$/.exec(String(value))?.[1] ?? 0);
}

/** A reply that ran into its limit is as good as the facts that were complete by then. */
function salvage(text: string): z.infer<typeof Reply> | undefined {
  const facts = completeItems(text, "facts").flatMap((item) => Fact.safeParse(item).data ?? []);
  return facts.length > 0 ? { facts } : undefined;
}

function tripleOf(fact: z.infer<typeof Fact>, parts: readonly string[]): Triple[] {
  const quote = parts[fact.sentence - 1];
  if (quote === undefined) return [];
  return [
    {
      subject: { name: fact.subject, type: fact.subjectType, aliases: [] },
      predicate: fact.relation,
      object: { name: fact.object, type: fact.objectType, aliases: [] },
      quote,
    },
  ];
}
