import { AIMessage, type BaseMessage } from "@langchain/core/messages";

/** Returns a message of the assistant that names the scope it was written in, so that it is not read in another one. */
export const said = (text: string, scope: string, details: Record<string, unknown> = {}): AIMessage =>
  new AIMessage({ content: text, additional_kwargs: { ...details, ...(scope !== "" && { emend_scope: scope }) } });

/** Returns the name of the scope that a message was written in; empty if it names none. */
export const scopeSaidIn = ({ additional_kwargs: { emend_scope: scope } }: BaseMessage): string =>
  typeof scope === "string" ? scope : "";
