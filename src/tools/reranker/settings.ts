import { z } from "zod";
import { UsageError } from "../../errors.js";
import type { OptionsOf } from "../../options.js";
import { endpoint, endpointOr, type ModelSettings, webAddress } from "../endpoint/endpoint.js";
import type { DocumentCompressor } from "./rerankers.js";

export interface RerankerSettings {
  /** A larger model that ranks search results: an endpoint, or a LangChain document compressor. Default: none. */
  reranker?: (ModelSettings & { baseURL: string }) | DocumentCompressor | undefined;
}

const rerankerEndpoint = { ...endpoint, baseURL: z.string().min(1) };

export const rerankerOptions = {
  reranker: endpointOr("a document compressor", "compressDocuments", rerankerEndpoint),
} satisfies OptionsOf<RerankerSettings>;

export const rerankerVariables = {
  EMEND_RERANKER_MODEL: z.string().optional(),
  EMEND_RERANKER_BASE_URL: webAddress,
  /** A separate key, so that OpenAI's key is never sent to another company. */
  EMEND_RERANKER_API_KEY: z.string().optional(),
};

/** @throws UsageError if there is a model without an address, or an address without a model. */
export function rerankerSettings(
  options: RerankerSettings,
  env: z.infer<z.ZodObject<typeof rerankerVariables>>,
): RerankerSettings {
  if (options.reranker) return options;
  const { EMEND_RERANKER_MODEL: model, EMEND_RERANKER_BASE_URL: baseURL, EMEND_RERANKER_API_KEY: apiKey } = env;
  if (!model && !baseURL) return {};
  if (!model) throw new UsageError("EMEND_RERANKER_BASE_URL is set, but EMEND_RERANKER_MODEL is not. Set both.");
  if (!baseURL)
    throw new UsageError(
      "EMEND_RERANKER_MODEL is set, but EMEND_RERANKER_BASE_URL is not. Set it, such as https://api.jina.ai/v1.",
    );
  return { reranker: { model, baseURL, ...(apiKey && { apiKey }) } };
}
