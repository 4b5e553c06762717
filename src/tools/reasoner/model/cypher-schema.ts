import { contentTerms } from "../../../text/tokens.js";
import type { GraphProperty, GraphSchema } from "../../knowledge/port.js";
import { neutral } from "./prompts.js";

/** A relation with its direction: `(:Person)-[:ACTED_IN {roles: StringArray}]->(:Movie)`. */
export const relationText = ({ type, from, to, properties }: GraphSchema["relations"][number]) => {
  const own = properties.length === 0 ? "" : ` {${properties.map(propertyText).join(", ")}}`;
  return `${nodeText(from)}-[:${quotedName(type)}${own}]->${nodeText(to)}`;
};

/** A schema as lines: each label with its properties, each relation with its ends. */
export const schemaText = ({ nodes, relations }: GraphSchema): string =>
  [
    "Nodes:",
    ...nodes.map(({ label, properties }) => `(:${quotedName(label)} {${properties.map(propertyText).join(", ")}})`),
    "Relations:",
    ...relations.map(relationText),
  ].join("\n");

/**
 * As much of a schema as a short prompt holds. What shares words with the question goes first, its neighbours next,
 * then the labels with the most relations; what is left keeps the schema's order. The same for the same question.
 * @param room in characters of `schemaText`.
 */
export function schemaFor(schema: GraphSchema, about: readonly string[], room: number): GraphSchema {
  const readable = withoutOddNames(schema);
  if (schemaText(readable).length <= room) return readable;
  const wanted = new Set(about.flatMap(contentTerms));
  const meets = (texts: readonly string[]) => contentTerms(spaced(texts)).filter((term) => wanted.has(term)).length;
  const own = new Map(
    readable.nodes.map(({ label, properties }) => [
      label,
      3 * meets([label]) + meets(properties.flatMap(({ name, values = [] }) => [name, ...values])),
    ]),
  );
  const byType = readable.relations.map((relation) => ({ relation, met: 3 * meets([relation.type]) }));
  const score = new Map(own);
  const raise = (label: string, by: number) => score.set(label, (score.get(label) ?? 0) + by);
  for (const { relation, met } of byType) {
    raise(relation.from, met + (own.get(relation.to) ?? 0) / 2 + 0.01);
    raise(relation.to, met + (own.get(relation.from) ?? 0) / 2 + 0.01);
  }
  const best = readable.nodes.toSorted((a, b) => (score.get(b.label) ?? 0) - (score.get(a.label) ?? 0));
  const kept = new Set<string>();
  const cut = () => within(readable, kept);
  for (const { label } of best) {
    kept.add(label);
    if (schemaText(cut()).length > room) kept.delete(label);
  }
  return cut();
}

const within = ({ nodes, relations }: GraphSchema, kept: ReadonlySet<string>): GraphSchema => ({
  nodes: nodes.filter(({ label }) => kept.has(label)),
  relations: relations.filter(({ from, to }) => [from, to].every((end) => end === "" || kept.has(end))),
});

/** As it stands in a query: in backticks where it is no plain word. */
export const quotedName = (name: string) =>
  neutral(/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);

/** Names are made by whoever filled the graph. One that is long or breaks its line is no name to ask by. */
function withoutOddNames({ nodes, relations }: GraphSchema): GraphSchema {
  const properties = (all: readonly GraphProperty[]) =>
    all.filter(({ name }) => isPlain(name)).slice(0, MOST_PROPERTIES);
  return {
    nodes: nodes.flatMap((node) => (isPlain(node.label) ? [{ ...node, properties: properties(node.properties) }] : [])),
    relations: relations.flatMap((relation) =>
      [relation.type, relation.from, relation.to].every(isPlain)
        ? [{ ...relation, properties: properties(relation.properties) }]
        : [],
    ),
  };
}

const isPlain = (name: string) => name.length <= LONGEST_NAME && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);

const LONGEST_NAME = 60;
const MOST_PROPERTIES = 30;

const nodeText = (label: string) => (label === "" ? "()" : `(:${quotedName(label)})`);

/** A text is the usual case, and goes without saying; the values say more than the type. */
function propertyText({ name, type, values = [] }: GraphProperty): string {
  const few = values.filter((value) => value.length <= LONGEST_VALUE && isPlain(value)).slice(0, MOST_VALUES);
  if (few.length > 0) return `${quotedName(name)}: ${few.map((value) => neutral(JSON.stringify(value))).join("|")}`;
  return /^String$/i.test(type) || type === ""
    ? quotedName(name)
    : `${quotedName(name)}: ${neutral(type).slice(0, 30)}`;
}

const MOST_VALUES = 6;
const LONGEST_VALUE = 30;

/** "ACTED_IN" and "unitPrice" as words to compare, a line each. */
export const spaced = (names: readonly string[]) =>
  names.map((name) => name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").replaceAll("_", " ")).join("\n");
