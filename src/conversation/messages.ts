import {
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";

/** Returns a message of the assistant that names the scope it was written in, so that it is not read in another one. */
export const said = (
  content: string,
  scope: string,
  more: Pick<AIMessageFields<StandardMessageStructure>, "id" | "additional_kwargs" | "usage_metadata"> = {},
): AIMessage =>
  new AIMessage<StandardMessageStructure>({
    ...more,
    content,
    additional_kwargs: { ...more.additional_kwargs, ...(scope !== "" && { emend_scope: scope }) },
  });

/** Returns the name of the scope that a message was written in; empty if it names none. */
export const scopeSaidIn = ({ additional_kwargs: { emend_scope: scope } }: BaseMessage): string =>
  typeof scope === "string" ? scope : "";

/** Returns what a message holds besides text, which emend does not read: each by its type, such as `image`. */
export const attachmentsIn = ({ content }: BaseMessage): string[] =>
  typeof content === "string" ? [] : content.map(({ type }) => type).filter((type) => type !== "text");
