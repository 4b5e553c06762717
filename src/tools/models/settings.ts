import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { UsageError } from "../../errors.js";
import { endpointOf, type endpointVariables, isEndpoint, type ModelSettings } from "../endpoint/endpoint.js";

export interface ChatSettings {
  /** The chat model that generates and checks: an endpoint, or a LangChain model. Without one, answers are extractive. */
  model?: ModelSettings | BaseChatModel | undefined;
  /** The chat model that grades and rewrites. Default: `model`. */
  graderModel?: ModelSettings | BaseChatModel | undefined;
  /** A folder that caches model replies, for evaluations. Off unless set. */
  replyCache?: string | undefined;
}

export const chatVariables = {
  EMEND_MODEL: z.string().optional(),
  EMEND_GRADER_MODEL: z.string().optional(),
  EMEND_REPLY_CACHE: z.string().optional(),
};

/** @throws UsageError if a model lacks its key, or if only a grader model is set. */
export function chatSettings(
  options: ChatSettings,
  env: z.infer<z.ZodObject<typeof chatVariables & typeof endpointVariables>>,
): ChatSettings {
  const model = options.model ?? endpointOf(env, env.EMEND_MODEL);
  const graderModel = options.graderModel ?? endpointOf(env, env.EMEND_GRADER_MODEL);
  for (const [name, given] of [
    ["EMEND_MODEL", model],
    ["EMEND_GRADER_MODEL", graderModel],
  ] as const)
    if (given && isEndpoint(given) && !given.apiKey && !given.baseURL)
      throw new UsageError(
        `${name} is set to "${given.model}", but OPENAI_API_KEY is not. Set it, or OPENAI_BASE_URL for a local server.`,
      );
  if (graderModel && !model) throw new UsageError("EMEND_GRADER_MODEL is set, but EMEND_MODEL is not. Set both.");
  return { model, graderModel, replyCache: options.replyCache ?? env.EMEND_REPLY_CACHE };
}
