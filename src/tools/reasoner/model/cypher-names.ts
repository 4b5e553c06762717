import type { GraphSchema } from "../../knowledge/port.js";
import { quotedName } from "./cypher-schema.js";

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
