import { z } from "zod";
import { aCount, type OptionsOf } from "../../options.js";
import {
  endpointOf,
  endpointOr,
  type endpointVariables,
  type ModelSettings,
  webAddress,
} from "../endpoint/endpoint.js";
import type { LangchainEmbeddings } from "./embeddings.js";

export interface EncoderSettings {
  /** The judge: a folder of an ONNX model in place of emend's own, or "off" to use words alone. */
  encoder?: string | undefined;
  /** The seconds that a question waits for the encoder if a chat model can draft without it. Default 0.3. */
  encoderPatience?: number | undefined;
  /** The threads of all processes of the encoder together. Default: all cores. */
  encoderThreads?: number | undefined;
  /** The embeddings: an endpoint, or LangChain embeddings. Default: the encoder. */
  embeddings?: ModelSettings | LangchainEmbeddings | undefined;
}

export const encoderOptions = {
  encoder: z.string(),
  encoderPatience: z.number().min(0),
  encoderThreads: aCount(1),
  embeddings: endpointOr("embeddings", "embedQuery"),
} satisfies OptionsOf<EncoderSettings>;

export const encoderVariables = {
  EMEND_ENCODER: z.string().optional(),
  EMEND_ENCODER_PATIENCE: z
    .string()
    .regex(/^\d{1,4}(?:\.\d{1,3})?$/, { error: "must be seconds, such as 0.5" })
    .optional(),
  EMEND_ENCODER_THREADS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, { error: "must be a whole number of threads from 1" })
    .optional(),
  EMEND_EMBEDDINGS_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_BASE_URL: webAddress,
};

export const encoderSettings = (
  options: EncoderSettings,
  env: z.infer<z.ZodObject<typeof encoderVariables & typeof endpointVariables>>,
): EncoderSettings => ({
  encoder: options.encoder ?? env.EMEND_ENCODER,
  encoderPatience:
    options.encoderPatience ?? (env.EMEND_ENCODER_PATIENCE ? Number(env.EMEND_ENCODER_PATIENCE) : undefined),
  encoderThreads: options.encoderThreads ?? (env.EMEND_ENCODER_THREADS ? Number(env.EMEND_ENCODER_THREADS) : undefined),
  embeddings: options.embeddings ?? endpointOf(env, env.EMEND_EMBEDDINGS_MODEL, env.EMEND_EMBEDDINGS_BASE_URL),
});
