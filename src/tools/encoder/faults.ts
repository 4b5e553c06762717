import { OpenAIClient } from "@langchain/openai";
import { EndpointError } from "../../errors.js";

/** What went wrong, in one sentence that says what to do. Never holds the key. */
export function endpointError(
  error: unknown,
  { model, baseURL, apiKey }: { model: string; baseURL: string; apiKey: string },
): EndpointError {
  const where = withoutPassword(baseURL);
  const status = error instanceof Error && "status" in error ? Number(error.status ?? 0) : 0;
  const said = (error instanceof Error ? error.message : String(error)).split("\n")[0]?.slice(0, 200) ?? "";
  const detail = said.replaceAll(apiKey, "…").replace(/[.\s]+$/, "");
  const sentence = () => {
    if (status === 401 || status === 403)
      return `The embeddings endpoint at ${where} refused the key. Set OPENAI_API_KEY to one that may use ${model}.`;
    if (status === 404)
      return `The embeddings endpoint at ${where} has no model ${model}. Check EMEND_EMBEDDINGS_MODEL, and that the address ends with its version, such as /v1.`;
    if (status === 429) return `The embeddings endpoint at ${where} is over its limit of requests. Try again later.`;
    if (status > 0) return `The embeddings endpoint at ${where} failed: ${detail}. Try again, or set another one.`;
    if (error instanceof OpenAIClient.APIConnectionTimeoutError)
      return `The embeddings endpoint at ${where} did not answer in time. Is it overloaded?`;
    if (error instanceof OpenAIClient.APIConnectionError)
      return `No embeddings endpoint answers at ${where}. Is it running? Check EMEND_EMBEDDINGS_BASE_URL.`;
    return `The model ${model} at ${where} did not return one vector a text. Is it a model for embeddings?`;
  };
  return new EndpointError(sentence(), status);
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return address;
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.replace(/\/$/, "");
}
