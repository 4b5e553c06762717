import { z } from "zod";
import type { Field } from "../../types/field.js";
import { askModel } from "./ask.js";
import type { Chat } from "./chat.js";
import type { Filler } from "./port.js";
import { fillPrompt } from "./prompts.js";

/** Fills fields in one call to a model, which sees only the question and the statements. */
export const modelFiller = (chat: Chat): Filler => ({
  fill: (task, call) =>
    askModel(
      chat,
      { name: "fill", prompt: fillPrompt(task, call.prompts), schema: z.object(shapeOf(task.fields)) },
      call,
    ),
});

const shapeOf = (fields: Readonly<Record<string, Field>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)]));

/** A field that the model leaves out is null. */
function schemaOf(field: Field): z.ZodType {
  const schema = bare(field).nullable();
  return z.preprocess((value) => value ?? null, field.about ? schema.describe(field.about) : schema);
}

function bare(field: Field): z.ZodType {
  switch (field.kind) {
    case "text":
      return field.options ? z.enum(field.options) : z.string();
    case "number":
      return z.number();
    case "list":
      return z.array(schemaOf(field.items));
    case "group":
      return z.object(shapeOf(field.fields));
  }
}
