import { z } from "zod";

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelSettings {
  model: string;
  apiKey?: string;
  /** Default: OpenAI's own. */
  baseURL?: string;
}

/** True for the settings of an endpoint, false for a LangChain model, which has methods. */
export const isEndpoint = <Part>(model: ModelSettings | Part): model is ModelSettings =>
  !["invoke", "embedQuery", "compressDocuments"].some(
    (method) => typeof Reflect.get(Object(model), method) === "function",
  );

/** The address of a web server in the environment. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" })
  .optional();

export const endpointVariables = { OPENAI_API_KEY: z.string().optional(), OPENAI_BASE_URL: webAddress };
type EndpointVariables = z.infer<z.ZodObject<typeof endpointVariables>>;

/** The endpoint of a model that the environment names, by default OpenAI's. Undefined without a model. */
export const endpointOf = (
  { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL }: EndpointVariables,
  model: string | undefined,
  baseURL = OPENAI_BASE_URL,
): ModelSettings | undefined => (model ? { model, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) } : undefined);
