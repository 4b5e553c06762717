import { AIMessage, coerceMessageLikeToMessage, type StandardMessageStructure } from "@langchain/core/messages";
import { listeners, serialized } from "../../tracing.js";
import type { Chat, ChatReply } from "./port.js";

/**
 * Makes each call of a chat an LLM run in LangChain's tracing (callbacks, LangSmith, Langfuse): its messages, its
 * reply, its tokens and its model. LangChain's own models trace themselves.
 * @param model its name at the endpoint.
 */
export const tracedChat = (chat: Chat, model: string): Chat => ({
  ...chat,
  ...(chat.withModel && { withModel: (other) => tracedChat(chat.withModel?.(other) ?? chat, other) }),
  async send(request) {
    const metadata = { ls_model_type: "chat", ls_provider: "openai", ls_model_name: model };
    // The tag keeps LangGraph from streaming the reply as a message of the conversation.
    const manager = listeners({ tags: ["nostream"], metadata });
    if (!manager) return chat.send(request);
    const { messages, format, schemaName } = request;
    const said = messages.map(({ role, content }) => coerceMessageLikeToMessage({ role, content }));
    const parameters = { invocation_params: { model, response_format: format }, options: {} };
    const about = [undefined, undefined, parameters, undefined, undefined, `${schemaName}: ${model}`] as const;
    const [run] = await manager.handleChatModelStart(serialized("chat"), [said], ...about);
    try {
      const reply = await chat.send(request);
      await run?.handleLLMEnd(resultOf(reply, model));
      return reply;
    } catch (error) {
      await run?.handleLLMError(error);
      throw error;
    }
  },
});

function resultOf({ text, cut, usage }: ChatReply, model: string) {
  const { inputTokens, cachedTokens, outputTokens } = usage;
  const totalTokens = inputTokens + outputTokens;
  const message = new AIMessage<StandardMessageStructure>({
    content: text,
    response_metadata: { model_name: model, finish_reason: cut ? "length" : "stop" },
    usage_metadata: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: totalTokens,
      input_token_details: { cache_read: cachedTokens },
    },
  });
  const tokenUsage = { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens };
  return { generations: [[{ text, message }]], llmOutput: { tokenUsage, model_name: model } };
}
