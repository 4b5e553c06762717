/** A field of data that an answer is asked for: a text, a number, a list of fields, or a group of them. */
export type Field = { about?: string } & (
  | { kind: "text"; options?: string[] }
  | { kind: "number"; isWhole: boolean; least: number; most: number }
  | { kind: "list"; items: Field }
  | { kind: "group"; fields: Record<string, Field> }
);
