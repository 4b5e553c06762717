import type { GraphProperty, GraphSchema } from "../../knowledge/port.js";
import { quotedName } from "./cypher-schema.js";

/**
 * What queries of a graph look like, one for each kind of question, in the graph's own words: made from the schema
 * alone, so that every graph gets its own. None for a graph without relations between things that have a name.
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
  const amount = schema.nodes.flatMap(({ label, properties }) =>
    properties.flatMap((property) =>
      isAmount(property) ? [{ label: quotedName(label), key: quotedName(property.name) }] : [],
    ),
  )[0];
  return [
    `- who, which: MATCH ${step} WHERE b.${first.toName} = "..." RETURN a.${first.fromName}`,
    `- how many: MATCH ${step} WHERE a.${first.fromName} = "..." RETURN count(b) AS total`,
    `- the most: MATCH ${step} RETURN a.${first.fromName}, count(b) AS total ORDER BY total DESC LIMIT 1`,
    ...(second
      ? [
          `- two steps: MATCH ${step}<-[:${quotedName(second.type)}]-(c:${second.from}) WHERE a.${first.fromName} = "..." RETURN c.${second.fromName}`,
        ]
      : []),
    ...(amount ? [`- more than: MATCH (a:${amount.label}) WHERE a.${amount.key} > 10 RETURN a.${amount.key}`] : []),
  ];
}

const isAmount = ({ name, type }: GraphProperty) => /^(?:Long|Integer|Double|Float)$/i.test(type) && !/id$/i.test(name);

/** The property that things with a label are called by: one that says so, or the first text. */
export function naming(schema: GraphSchema, label: string): string | undefined {
  const texts = textsOf(schema, label);
  const name = [/^(?:name|title|名称|姓名|标题)$/i, /name|title|名/i, /./].flatMap((wanted) =>
    texts.filter((property) => wanted.test(property)),
  )[0];
  return name && quotedName(name);
}

/** The properties by which a query finds a thing of that name; none where that cannot be told. */
export function namedBy(schema: GraphSchema, label: string, name: string): [key: string, value: string][] {
  const texts = textsOf(schema, label);
  const first = texts.find((key) => /^(?:first_?name|given_?name|名)$/i.test(key));
  const last = texts.find((key) => /^(?:last_?name|family_?name|surname|姓)$/i.test(key));
  const [, given, family] = /^(\S+) (.+)$/.exec(name) ?? [];
  if (first && last && given && family)
    return [
      [quotedName(first), given],
      [quotedName(last), family],
    ];
  // A thing without a name is called by its label and number.
  const isNumber = name.startsWith(`${label} `) && /^[\p{N}-]+$/u.test(name.slice(label.length + 1));
  const key = naming(schema, label);
  return key === undefined || isNumber ? [] : [[key, name]];
}

const textsOf = ({ nodes }: GraphSchema, label: string) =>
  (nodes.find((node) => node.label === label)?.properties ?? [])
    .filter(({ type }) => /^(?:String|)$/i.test(type))
    .map(({ name }) => name);
