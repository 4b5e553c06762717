import { neutral } from "../../text/orders.js";
import { contentTerms } from "../../text/tokens.js";
import type { GraphProperty, GraphSchema } from "../knowledge/port.js";
import { predicateWords } from "../knowledge/rank-facts.js";

/** Writes a relation as a pattern: `(:Person)-[:ACTED_IN {roles: StringArray}]->(:Movie)`. */
export const relationText = ({ type, from, to, properties }: GraphSchema["relations"][number]) => {
  const own = properties.length === 0 ? "" : ` {${properties.map(propertyText).join(", ")}}`;
  const [start, end] = [from, to].map((label) => (label === "" ? "()" : `(:${quotedName(label)})`));
  return `${start}-[:${quotedName(type)}${own}]->${end}`;
};

/** Writes a schema as lines: each label with its properties, each relation with its ends. */
export const schemaText = ({ nodes, relations }: GraphSchema): string =>
  [
    "Nodes:",
    ...nodes.map(({ label, properties }) => `(:${quotedName(label)} {${properties.map(propertyText).join(", ")}})`),
    "Relations:",
    ...relations.map(relationText),
  ].join("\n");

/**
 * Selects as much of a schema as fits into a short prompt. Prefers labels that share words with the question, then
 * their neighbours, then labels with the most relations. Keeps the order; the same question gives the same selection.
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
  const score = new Map(own);
  const raise = (label: string, by: number) => score.set(label, (score.get(label) ?? 0) + by);
  for (const { type, from, to } of readable.relations) {
    const met = 3 * meets([type]);
    raise(from, met + (own.get(to) ?? 0) / 2 + 0.01);
    raise(to, met + (own.get(from) ?? 0) / 2 + 0.01);
  }
  const best = readable.nodes.toSorted((a, b) => (score.get(b.label) ?? 0) - (score.get(a.label) ?? 0));
  const kept = new Set([""]);
  const cut = (): GraphSchema => ({
    nodes: readable.nodes.filter(({ label }) => kept.has(label)),
    relations: readable.relations.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  });
  for (const { label } of best) {
    kept.add(label);
    if (schemaText(cut()).length > room) kept.delete(label);
  }
  return cut();
}

/** Writes a name for a query: in backticks unless it is a plain word. */
export const quotedName = (name: string) =>
  neutral(/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? name : `\`${name.replaceAll("`", "``")}\``);

/**
 * Drops names that are long or contain line breaks. Others may have filled the graph, so names may be prompt injection.
 */
function withoutOddNames({ nodes, relations }: GraphSchema): GraphSchema {
  const properties = (all: readonly GraphProperty[]) =>
    all.filter(({ name }) => isPlain(name)).slice(0, MAX_PROPERTIES);
  return {
    nodes: nodes.flatMap((node) => (isPlain(node.label) ? [{ ...node, properties: properties(node.properties) }] : [])),
    relations: relations.flatMap((relation) =>
      [relation.type, relation.from, relation.to].every(isPlain)
        ? [{ ...relation, properties: properties(relation.properties) }]
        : [],
    ),
  };
}

const isPlain = (name: string) => name.length <= MAX_NAME_LENGTH && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);

const MAX_NAME_LENGTH = 60;
const MAX_PROPERTIES = 30;

/** Writes a property with its values or, if there are none, its type. Leaves out the type String, which most have. */
function propertyText({ name, type, values = [] }: GraphProperty): string {
  const few = values.filter((value) => value.length <= MAX_VALUE_LENGTH && isPlain(value)).slice(0, MAX_VALUES);
  if (few.length > 0) return `${quotedName(name)}: ${few.map((value) => neutral(JSON.stringify(value))).join("|")}`;
  return /^String$/i.test(type) || type === ""
    ? quotedName(name)
    : `${quotedName(name)}: ${neutral(type).slice(0, 30)}`;
}

const MAX_VALUES = 6;
const MAX_VALUE_LENGTH = 30;

/** Splits names such as "ACTED_IN" and "unitPrice" into words, one line each. */
export const spaced = (names: readonly string[]) => names.map(predicateWords).join("\n");

/**
 * Makes an example query for each kind of question, using only names from the schema. Returns none for a graph without
 * relations between nodes that have a name.
 */
export function shapesOf(schema: GraphSchema): string[] {
  const whole = schema.relations.flatMap((relation) => {
    const [fromName, toName] = [naming(schema, relation.from), naming(schema, relation.to)];
    if (fromName === undefined || toName === undefined) return [];
    return [{ ...relation, from: quotedName(relation.from), to: quotedName(relation.to), fromName, toName }];
  });
  const [first] = whole;
  if (!first) return [];
  const step = `(a:${first.from})-[:${quotedName(first.type)}]->(b:${first.to})`;
  const second = whole.find(({ type, to }) => type !== first.type && to === first.to);
  const [amount] = schema.nodes.flatMap(({ label, properties }) =>
    properties.filter(isAmount).map(({ name }) => ({ label: quotedName(label), key: quotedName(name) })),
  );
  return [
    `- who, which: MATCH ${step} WHERE b.${first.toName} = "..." RETURN a.${first.fromName}`,
    `- how many: MATCH ${step} WHERE a.${first.fromName} = "..." RETURN count(b) AS total`,
    `- the most: MATCH ${step} RETURN a.${first.fromName}, count(b) AS total ORDER BY total DESC LIMIT 3`,
    ...(second
      ? [
          `- two steps: MATCH ${step}<-[:${quotedName(second.type)}]-(c:${second.from}) WHERE a.${first.fromName} = "..." RETURN c.${second.fromName}`,
        ]
      : []),
    ...(amount ? [`- more than: MATCH (a:${amount.label}) WHERE a.${amount.key} > 10 RETURN a.${amount.key}`] : []),
  ];
}

const isAmount = ({ name, type }: GraphProperty) => /^(?:Long|Integer|Double|Float)$/i.test(type) && !/id$/i.test(name);

/** Picks the property that names the nodes with a label: by its key, or else the first text. */
function naming(schema: GraphSchema, label: string): string | undefined {
  const texts = textsOf(schema, label);
  const [name] = [/^(?:name|title|名称|姓名|标题)$/i, /name|title|名/i, /./].flatMap((wanted) =>
    texts.filter((property) => wanted.test(property)),
  );
  return name && quotedName(name);
}

/** Returns the properties by which a query finds the node with a name; none if they are unknown. */
export function keysOfName(schema: GraphSchema, label: string, name: string): [key: string, value: string][] {
  const texts = textsOf(schema, label);
  const first = texts.find((key) => /^(?:first_?name|given_?name|名)$/i.test(key));
  const last = texts.find((key) => /^(?:last_?name|family_?name|surname|姓)$/i.test(key));
  const [, given, family] = /^(\S+) (.+)$/.exec(name) ?? [];
  if (first && last && given && family)
    return [
      [quotedName(first), given],
      [quotedName(last), family],
    ];
  // A node without a name is displayed with its label and number.
  const isNumber = name.startsWith(`${label} `) && /^[\p{N}-]+$/u.test(name.slice(label.length + 1));
  const key = naming(schema, label);
  return key === undefined || isNumber ? [] : [[key, name]];
}

const textsOf = ({ nodes }: GraphSchema, label: string) =>
  (nodes.find((node) => node.label === label)?.properties ?? [])
    .filter(({ type }) => /^(?:String|)$/i.test(type))
    .map(({ name }) => name);
