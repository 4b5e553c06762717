import { z } from "zod";
import { endpointOf, type endpointVariables, type ModelSettings, webAddress } from "../endpoint/endpoint.js";
import type { LangchainEmbeddings } from "./langchain.js";

export interface EncoderSettings {
  /** The judge: a folder of an ONNX model in place of emend's own, or "off" to use words alone. */
  encoder?: string | undefined;
  /** The embeddings: an endpoint, or LangChain embeddings. Default: the encoder. */
  embeddings?: ModelSettings | LangchainEmbeddings | undefined;
}

export const encoderVariables = {
  EMEND_ENCODER: z.string().optional(),
  EMEND_EMBEDDINGS_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_BASE_URL: webAddress,
};

export const encoderSettings = (
  options: EncoderSettings,
  env: z.infer<z.ZodObject<typeof encoderVariables & typeof endpointVariables>>,
): EncoderSettings => ({
  encoder: options.encoder ?? env.EMEND_ENCODER,
  embeddings: options.embeddings ?? endpointOf(env, env.EMEND_EMBEDDINGS_MODEL, env.EMEND_EMBEDDINGS_BASE_URL),
});
