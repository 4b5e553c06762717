import { z } from "zod";
import type { Field } from "../types/field.js";
import { ParameterError } from "./asking.js";

/**
 * Reads the fields that a client's JSON Schema asks for. Constraints that fields cannot express are refused, not
 * ignored.
 * @param param the name of the parameter that the schema came in.
 * @throws ParameterError for anything but objects, lists, texts and numbers, naming the place in the schema.
 */
export function fieldsOf(schema: unknown, param: string): Record<string, Field> {
  const count = { left: MAX_FIELDS };
  const field = fieldOf(schema, param, 0, count);
  if (field.kind !== "group") throw refused(param, "it has to describe an object");
  return field.fields;
}

const MAX_FIELDS = 100;
const MAX_DEPTH = 6;

const Node = z.strictObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().max(1_000).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  enum: z
    .array(z.union([z.string(), z.null()]))
    .max(100)
    .optional(),
  anyOf: z.array(z.unknown()).max(2).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  // These have no effect: every property is in the reply, as null if nothing supports it.
  $schema: z.unknown().optional(),
  title: z.unknown().optional(),
  default: z.unknown().optional(),
  required: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
});

function fieldOf(schema: unknown, at: string, depth: number, count: { left: number }): Field {
  count.left -= 1;
  if (count.left < 0 || depth > MAX_DEPTH)
    throw refused(at, `it has more than ${MAX_FIELDS} properties, or is nested deeper than ${MAX_DEPTH}`);
  const parsed = Node.safeParse(schema);
  if (!parsed.success) throw refused(at, parsed.error.issues.map(({ message }) => message).join("; "));
  const { anyOf, description, properties, items, minimum, maximum, ...node } = parsed.data;
  const about = description === undefined ? {} : { about: description };
  if (anyOf) {
    const some = anyOf.filter((one) => Node.safeParse(one).data?.type !== "null");
    if (some.length !== 1) throw refused(at, "anyOf may only add null to one type");
    return { ...about, ...fieldOf(some[0], at, depth + 1, count) };
  }
  const [type, ...others] = [node.type ?? []].flat().filter((name) => name !== "null");
  if (others.length > 0) throw refused(at, "it has several types");
  switch (type) {
    case "object":
      return { ...about, kind: "group", fields: groupOf(properties ?? {}, at, depth, count) };
    case "array":
      return { ...about, kind: "list", items: fieldOf(items, `${at}.items`, depth + 1, count) };
    case "string": {
      const options = node.enum?.filter((option) => option !== null);
      return { ...about, kind: "text", ...(options && { options }) };
    }
    case "number":
    case "integer": {
      const [least, most] = [minimum ?? Number.NEGATIVE_INFINITY, maximum ?? Number.POSITIVE_INFINITY];
      return { ...about, kind: "number", isWhole: type === "integer", least, most };
    }
    case "boolean":
      throw refused(at, "yes or no cannot be looked up in the words of a document: ask for a string or a number");
    default:
      throw refused(at, "its type has to be object, array, string, number or integer");
  }
}

const groupOf = (properties: Record<string, unknown>, at: string, depth: number, count: { left: number }) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const place = `${at}.properties.${name}`;
      if (!NAME.test(name)) throw refused(place, "a name has letters, digits, _ and -, at most 64 of them");
      return [name, fieldOf(schema, place, depth + 1, count)];
    }),
  );

const NAME = /^(?!__proto__$)[\p{L}\p{N}_-]{1,64}$/u;

const refused = (param: string, why: string) =>
  new ParameterError(param, "unsupported_value", `emend cannot fill this part of the schema: ${why}.`);
