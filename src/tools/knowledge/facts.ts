import { AUXILIARIES, among, PREPOSITIONS, QUESTION_WORDS } from "../../text/lexicon.js";
import { contentTerms } from "../../text/tokens.js";
import type { GraphFact, GraphRow, GraphValue, Provenance } from "../../types/knowledge.js";
import type { Language } from "../../types/language.js";

/**
 * Writes a fact as a sentence in the graph's words: "Tom Hanks acted in Cast Away and Big (2 in all)." With a noun as
 * the relation: "The manager of Procurement is Li Lei." and "Li Lei is the manager of Procurement and Sales (2 in
 * all)."; in Chinese always 采购部的负责人：李雷。 and 负责人为李雷的：采购部、销售部（共2项）。 Empty for a relation that fits into no sentence, such
 * as the column heading "What is done there".
 */
export function factSentence({ entity, predicate, direction, others, total }: GraphFact, language: Language): string {
  const [subjects, objects] = direction === "out" ? [[entity], others] : [others, [entity]];
  const relation = relationWords(predicate);
  if (!isVerb(predicate, relation) && NO_RELATION.test(relation)) return "";
  if (language === "zh") {
    const subject = subjects.join("、");
    const all = total > 1 ? `（共${total}项）` : "";
    if (subjects.length > 1) return `${relation}为${entity}的：${subject}${all}。`;
    return `${spaced(subject)}的${relation.replace(/^(?=\p{Script=Latin})/u, " ")}：${objects.join("、")}${all}。`;
  }
  const all = total > 1 ? ` (${total} in all)` : "";
  const [subject, object] = [listed(subjects, total), listed(objects, total)];
  const is = subjects.length > 1 ? "are" : "is";
  if (isVerb(predicate, relation)) return `${subject} ${relation} ${object}${all}.`;
  if (PREPOSITION.test(relation)) return `${subject} ${is} ${relation} ${object}${all}.`;
  if (MAY_BE_VERB.test(relation) || NO_NOUN.test(relation)) return `${subject}: ${relation} ${object}${all}.`;
  if (subjects.length > 1) return `${object} is the ${relation} of ${subject}${all}.`;
  return `The ${relation} of ${subject} is ${object}${all}.`;
}

/** Writes the rows of a query's result as a table; empty without rows. */
export function rowTable({ rows }: Pick<Provenance, "rows">): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0) return "";
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s+/g, " ").replaceAll("|", "/")).join(" | ")} |`;
  return [
    line(columns.map(columnWords)),
    `|${columns.map(() => "-").join("|")}|`,
    ...rows.map((row) => line(columns.map((column) => valueText(row[column] ?? null)))),
  ].join("\n");
}

/** True if everything in a quote occurs in the rows, or in the query that found them. */
export function standsInRows(quote: string, { cypher, parameters, rows }: Provenance): boolean {
  const values = [...leaves(parameters), ...rows.flatMap(leaves)];
  const known = new Set(contentTerms([cypher, relationWords(cypher), OWN_WORDS, ...values].join("\n")));
  // Whole values are removed first, since two adjacent values in a sentence would tokenise differently.
  const whole = [...new Set(values.flatMap((value) => [value, relationWords(value)]))].filter((value) => value !== "");
  const rest = whole
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, value) => left.replace(wholeWords(value), "\n"), quote.replace(IN_ALL, ""));
  return contentTerms(rest.replace(/[：、，。]/g, "\n")).every((term) => known.has(term));
}

/** Matches a value that is not part of a longer word. */
const wholeWords = (value: string) => {
  const text = value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const [before, after] = [/^[\p{Script=Latin}\p{N}]/u, /[\p{Script=Latin}\p{N}]$/u].map((edge) => edge.test(value));
  return new RegExp(
    `${before ? "(?<![\\p{Script=Latin}\\p{N}])" : ""}${text}${after ? "(?![\\p{Script=Latin}\\p{N}])" : ""}`,
    "gu",
  );
};

/** Splits "ACTED_IN" and "reportsTo" into lower-case words. */
export const relationWords = (name: string) =>
  name
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ")
    .replace(/[_\s]+/g, " ")
    .trim()
    .replace(/\p{Lu}\p{L}*/gu, (word) => word.toLowerCase());

/** Splits `count(m)` and `m.title` into words. */
const columnWords = (column: string) =>
  relationWords(column.replace(/\b\w{1,2}\.(?=\w)/g, "").replace(/[()`]/g, " ")).trim();

/**
 * True for a type in capitals (by convention), for words that begin with "is" or "has", and for a verb with a
 * preposition at the end.
 */
const isVerb = (predicate: string, relation: string) =>
  (/^[\p{Lu}_\d]+$/u.test(predicate) && /\p{Script=Latin}/u.test(predicate) && !/^\S+ (?:of|by)$/.test(relation)) ||
  /^(?:is|are|was|were|has|have|had)\b/.test(relation) ||
  VERB.test(relation);

/** Matches "what is done there" and "people on 1 january 2026", which do not name relations. */
const NO_RELATION = new RegExp(
  `\\b(?:${among(`${QUESTION_WORDS.en} ${AUXILIARIES} there here`)})\\b|\\d|${among(QUESTION_WORDS.zh)}`,
);

/** Matches "released", "supplies", "roles": words whose form does not tell whether they are verbs or nouns. */
const MAY_BE_VERB = /^\p{L}+(?:[^s]s|ed)$/u;
/** Matches column headings such as "at work" and "since". */
const NO_NOUN = new RegExp(`^(?:${among(PREPOSITIONS)}|since|until)(?: |$)`);
/** Matches words that end with a preposition, except nouns such as "sign off" and "follow up". */
const PREPOSITION = new RegExp(` (?!(?:down|off|out|up)$)(?:${among(PREPOSITIONS)})$`);
const VERB = new RegExp(`^\\p{L}+(?:s|ed) (?:\\p{L}+ )*(?:as|${among(PREPOSITIONS)})$`, "u");

function listed(items: readonly string[], total: number): string {
  if (items.length < 2) return items.join("");
  if (items.length < total) return `${items.join(", ")} and others`;
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Adds the space that Chinese puts after a Latin name. */
const spaced = (before: string) => before.replace(/(?<=[\p{Script=Latin}\p{N}])$/u, " ");

/** Lists all single values inside a value, and the words of their keys. */
const leaves = (value: GraphValue): string[] => {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value !== "object") return [String(value)];
  return Object.entries(value satisfies GraphRow).flatMap(([key, inner]) => [columnWords(key), ...leaves(inner)]);
};

const valueText = (value: GraphValue): string => {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value !== "object") return String(value);
  const texts = Object.values(value satisfies GraphRow).map(valueText);
  return texts.filter(Boolean).join(", ");
};

const IN_ALL = /（共\d+项）|\(\d+ in all\)/g;
const OWN_WORDS = "and others in all";
