import type { ChatMessage, ChatReply } from "./chat.js";

/** What an endpoint says of itself: anything may stand here. */
export interface ReportedUsage {
  inputTokens?: unknown;
  cachedTokens?: unknown;
  outputTokens?: unknown;
}

/**
 * What a request used. What the endpoint says counts where it is a number of tokens; where it says nothing, or something
 * else, the tokens are estimated from the text, so that a budget holds with an endpoint that does not report. Always
 * whole numbers from 0 on; the cached ones are part of the input.
 */
export function usageOf(reported: ReportedUsage, messages: readonly ChatMessage[], reply: string): ChatReply["usage"] {
  const inputTokens = count(reported.inputTokens) ?? estimate(messages.map(({ content }) => content).join("\n"));
  const cachedTokens = count(reported.cachedTokens) ?? 0;
  return {
    inputTokens,
    cachedTokens: cachedTokens <= inputTokens ? cachedTokens : 0,
    outputTokens: count(reported.outputTokens) ?? estimate(reply),
  };
}

/** The number, where it can be one of tokens. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST ? value : undefined;

/** No model takes or writes as many at once. */
const MOST = 10_000_000;

/** Four bytes a token: about right for English, and for Chinese, whose characters have three. */
const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);
