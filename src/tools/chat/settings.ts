import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { UsageError } from "../../errors.js";
import type { OptionsOf } from "../../options.js";
import {
  endpointOf,
  endpointOr,
  type endpointVariables,
  isEndpoint,
  type ModelSettings,
} from "../endpoint/endpoint.js";

export interface ChatSettings {
  /** The chat model that reads, writes and checks: an endpoint, or a LangChain model. Without one, answers are quotes. */
  model?: ModelSettings | BaseChatModel | undefined;
  /** The chat model that checks claims. Default: `model`. */
  checkerModel?: ModelSettings | BaseChatModel | undefined;
  /**
   * What the chat model may do. Default: "tried", what it shows on labelled rows before its first answer. "all";
   * "answers", while the encoder checks; "none".
   */
  modelUse?: ModelUse | undefined;
  /** A folder that caches model replies, for evaluations. Off unless set. */
  replyCache?: string | undefined;
}

const AModelUse = z.enum(["tried", "all", "answers", "none"], { error: "must be tried, all, answers or none" });
/** What a chat model may do: what its trial shows (the default), everything, answer alone, or nothing. */
export type ModelUse = z.infer<typeof AModelUse>;

export const chatOptions = {
  model: endpointOr("a chat model", "invoke"),
  checkerModel: endpointOr("a chat model", "invoke"),
  modelUse: AModelUse,
  replyCache: z.string(),
} satisfies OptionsOf<ChatSettings>;

export const chatVariables = {
  EMEND_MODEL: z.string().optional(),
  EMEND_CHECKER_MODEL: z.string().optional(),
  EMEND_MODEL_USE: AModelUse.optional(),
  EMEND_REPLY_CACHE: z.string().optional(),
};

/** @throws UsageError if a model lacks its key, or if only a checker model is set. */
export function chatSettings(
  options: ChatSettings,
  env: z.infer<z.ZodObject<typeof chatVariables & typeof endpointVariables>>,
): ChatSettings {
  const named = (name: string | undefined) => {
    const found = endpointOf(env, name);
    return found && env.EMEND_MODEL_BODY ? { ...found, body: env.EMEND_MODEL_BODY } : found;
  };
  const model = options.model ?? named(env.EMEND_MODEL);
  const checkerModel = options.checkerModel ?? named(env.EMEND_CHECKER_MODEL);
  for (const [name, given] of [
    ["EMEND_MODEL", model],
    ["EMEND_CHECKER_MODEL", checkerModel],
  ] as const)
    if (given && isEndpoint(given) && !given.apiKey && !given.baseURL)
      throw new UsageError(
        `${name} is set to "${given.model}", but OPENAI_API_KEY is not. Set it, or OPENAI_BASE_URL for a local server.`,
      );
  if (checkerModel && !model) throw new UsageError("EMEND_CHECKER_MODEL is set, but EMEND_MODEL is not. Set both.");
  const modelUse = options.modelUse ?? env.EMEND_MODEL_USE;
  return { model, checkerModel, modelUse, replyCache: options.replyCache ?? env.EMEND_REPLY_CACHE };
}
