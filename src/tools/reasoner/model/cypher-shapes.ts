import type { GraphProperty, GraphSchema } from "../../knowledge/port.js";
import { naming } from "./cypher-names.js";
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
