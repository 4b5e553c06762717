import { AIMessage, type AIMessageFields, type BaseMessage } from "@langchain/core/messages";

/** Returns a message of the assistant that names the scope it was written in, so that it is not read in another one. */
export const said = (content: string, scope: string, more: Pick<AIMessageFields, "id" | "additional_kwargs"> = {}) =>
  new AIMessage({
    ...more,
    content,
    additional_kwargs: { ...more.additional_kwargs, ...(scope !== "" && { emend_scope: scope }) },
  });

/** Returns the name of the scope that a message was written in; empty if it names none. */
export const scopeSaidIn = ({ additional_kwargs: { emend_scope: scope } }: BaseMessage): string =>
  typeof scope === "string" ? scope : "";
