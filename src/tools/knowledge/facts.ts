import { contentTerms } from "../../language/tokens.js";
import type { Language } from "../../types/evidence.js";
import type { GraphFact, GraphRow, GraphValue, Provenance } from "../../types/graph.js";

/**
 * A fact as one sentence in words of the graph: "Tom Hanks acted in Cast Away and Big (2 in all)." A relation that is no
 * verb reads "The manager of Procurement is Li Lei."; in Chinese every relation reads 采购部的负责人：李雷。
 */
export function factSentence({ entity, predicate, direction, others, total }: GraphFact, language: Language): string {
  const [subjects, objects] = direction === "out" ? [[entity], others] : [others, [entity]];
  const relation = relationWords(predicate);
  if (language === "zh") {
    const subject = subjects.join("、");
    const all = total > 1 ? `（共${total}项）` : "";
    return `${spaced(subject)}的${relation.replace(/^(?=\p{Script=Latin})/u, " ")}：${objects.join("、")}${all}。`;
  }
  const all = total > 1 ? ` (${total} in all)` : "";
  const [subject, object] = [listed(subjects, total), listed(objects, total)];
  const is = subjects.length > 1 ? "are" : "is";
  if (isVerb(predicate, relation)) return `${subject} ${relation} ${object}${all}.`;
  if (PREPOSITION.test(relation)) return `${subject} ${is} ${relation} ${object}${all}.`;
  if (MAY_BE_VERB.test(relation)) return `${subject}: ${relation} ${object}${all}.`;
  return `The ${relation} of ${subject} is ${object}${all}.`;
}

/**
 * The rows of a query's result as lines that stand on their own: what was asked for by name, then each column with its
 * value.
 */
export function rowSentences({ cypher, parameters, rows }: Provenance, language: Language): string[] {
  const given = [...Object.values(parameters).map(valueText), ...literals(cypher)].filter((text) => text !== "");
  const about = [...new Set(given)].join(language === "zh" ? "、" : ", ");
  return rows.map((row) => {
    const cells = Object.entries(row).map(([column, value]) =>
      language === "zh"
        ? `${columnWords(column)}为${valueText(value)}`
        : `${columnWords(column)} is ${valueText(value)}`,
    );
    if (language === "zh") return `${about ? `${about}：` : ""}${cells.join("，")}。`;
    return `${about ? `${about}: ` : ""}${cells.join(", ")}.`;
  });
}

/** Whether everything a quote says stands in the rows it is said of, or in the query that found them. */
export function standsInRows(quote: string, { cypher, parameters, rows }: Provenance): boolean {
  const values = [...leaves(parameters), ...rows.flatMap(leaves)];
  const known = new Set(contentTerms([cypher, relationWords(cypher), OWN_WORDS, ...values].join("\n")));
  // Values go first, whole: a sentence may set one beside another without a gap, and cut words where neither does.
  const whole = [...new Set(values.flatMap((value) => [value, relationWords(value)]))].filter((value) => value !== "");
  const rest = whole
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, value) => left.replace(wholeWords(value), "\n"), quote.replace(IN_ALL, ""));
  return contentTerms(rest.replace(/[：、，。]/g, "\n")).every((term) => known.has(term));
}

/** A value wherever it stands and is no part of a longer word. */
const wholeWords = (value: string) => {
  const text = value.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const [before, after] = [/^[\p{Script=Latin}\p{N}]/u, /[\p{Script=Latin}\p{N}]$/u].map((edge) => edge.test(value));
  return new RegExp(
    `${before ? "(?<![\\p{Script=Latin}\\p{N}])" : ""}${text}${after ? "(?![\\p{Script=Latin}\\p{N}])" : ""}`,
    "gu",
  );
};

/** "ACTED_IN" and "reportsTo" as words. */
export const relationWords = (name: string) =>
  name
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " ")
    .replace(/[_\s]+/g, " ")
    .trim()
    .replace(/\p{Lu}\p{L}*/gu, (word) => word.toLowerCase());

/** `count(m)` and `m.title` as words. */
const columnWords = (column: string) =>
  relationWords(column.replace(/\b\w{1,2}\.(?=\w)/g, "").replace(/[()`]/g, " ")).trim();

/** By custom a relation's type in capitals is a verb; else it is one where it begins like one and leans on a preposition. */
const isVerb = (predicate: string, relation: string) =>
  (/^[\p{Lu}_\d]+$/u.test(predicate) && /\p{Script=Latin}/u.test(predicate) && !/^\S+ (?:of|by)$/.test(relation)) ||
  /^(?:is|are|was|were|has|have|had)\b/.test(relation) ||
  /^\p{L}+(?:s|ed) (?:\p{L}+ )*(?:in|to|by|for|from|at|with|on|as|into|under|over|of)$/u.test(relation);

/** "released", "supplies", "roles": a verb or a noun, nobody can tell. */
const MAY_BE_VERB = /^\p{L}+(?:[^s]s|ed)$/u;
const PREPOSITION = / (?:in|to|by|for|from|at|with|on|of|under)$/;

function listed(items: readonly string[], total: number): string {
  if (items.length < 2) return items.join("");
  if (items.length < total) return `${items.join(", ")} and others`;
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Chinese sets a space between a Latin name and the character behind it. */
const spaced = (before: string) => before.replace(/(?<=[\p{Script=Latin}\p{N}])$/u, " ");

/** Every single value, and the words for the columns they stand in. */
const leaves = (value: GraphValue): string[] => {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (typeof value !== "object") return [String(value)];
  return Object.entries(value satisfies GraphRow).flatMap(([key, inner]) => [columnWords(key), ...leaves(inner)]);
};

const valueText = (value: GraphValue): string => {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "object")
    return Object.values(value satisfies GraphRow)
      .map(valueText)
      .filter(Boolean)
      .join(", ");
  return String(value);
};

/** What a query compares with, where it does not come as a parameter. */
const literals = (cypher: string) =>
  [...cypher.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? match[2] ?? "");

const IN_ALL = /（共\d+项）|\(\d+ in all\)/g;
const OWN_WORDS = "and others in all";
