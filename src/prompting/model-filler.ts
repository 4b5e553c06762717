import { z } from "zod";
import type { Chat } from "../tools/chat/port.js";
import type { Field } from "../types/field.js";
import type { Filler } from "../types/reasoners.js";
import { askModel } from "./ask.js";
import { fillPrompt } from "./prompts.js";

/**
 * Fills fields in one call to a model, which sees only the question and the statements. A value of the wrong type is asked for
 * once more. If it is wrong again, it is null, the call is told so, and the other values stay.
 */
export const modelFiller = (chat: Chat): Filler => ({
  fill(task, call) {
    const wrong = new Set<string>();
    const complaint = () => {
      const names = [...wrong].map((name) => `“${name}”`).join(", ");
      wrong.clear();
      return names === "" ? "" : `it had values of the wrong type for ${names}`;
    };
    const schema = z.object(shapeOf(task.fields, (name) => wrong.add(name)));
    return askModel(chat, { name: "fill", prompt: fillPrompt(task, call.prompts), schema, complaint }, call);
  },
});

const shapeOf = (fields: Readonly<Record<string, Field>>, onWrong: (name: string) => void): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, name, onWrong)]));

/** A field that the model leaves out, or fills with a value of the wrong type, is null. */
function schemaOf(field: Field, name: string, onWrong: (name: string) => void): z.ZodType {
  const schema = bare(field, name, onWrong);
  const read = (value: unknown) => {
    if (value == null || schema.safeParse(value).success) return value ?? null;
    onWrong(name);
    return null;
  };
  return z.preprocess(read, field.about ? schema.nullable().describe(field.about) : schema.nullable());
}

function bare(field: Field, name: string, onWrong: (name: string) => void): z.ZodType {
  switch (field.kind) {
    case "text":
      return field.options ? z.enum(field.options) : z.string();
    case "number":
      return z.number();
    case "list":
      return z.array(schemaOf(field.items, name, onWrong));
    case "group":
      return z.object(shapeOf(field.fields, onWrong));
  }
}
