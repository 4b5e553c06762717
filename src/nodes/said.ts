import { AIMessage, type BaseMessage } from "@langchain/core/messages";

/**
 * Returns a message of the assistant that names the scope it was written in, so that it is not read in another one.
 * @param more its id, if it has one already, and what it carries beside its text.
 */
export const said = (
  text: string,
  scope: string,
  more: { id?: string; told?: Record<string, unknown> } = {},
): AIMessage =>
  new AIMessage({
    content: text,
    ...(more.id && { id: more.id }),
    additional_kwargs: { ...more.told, ...(scope !== "" && { emend_scope: scope }) },
  });

/** Returns the name of the scope that a message was written in; empty if it names none. */
export const scopeSaidIn = ({ additional_kwargs: { emend_scope: scope } }: BaseMessage): string =>
  typeof scope === "string" ? scope : "";
