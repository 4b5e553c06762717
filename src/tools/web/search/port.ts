import type { Language } from "../../../types/evidence.js";

export interface WebQuery {
  text: string;
  /** The language of the pages that are wanted. */
  language: Language;
  /** Where the asker is: an ISO 3166 country code such as "nl"; empty where nobody said. */
  region: string;
  /** Pages no older than this, where the provider can tell. */
  recency: "any" | "day" | "week" | "month" | "year";
}

export interface WebResult {
  /** http or https. */
  url: string;
  title: string;
  /** A few words of the page, as the provider cut them; plain text. */
  snippet: string;
  /** An ISO date, or empty. */
  published: string;
}

/** A search engine for the web. */
export interface WebSearch {
  /**
   * What the engine finds, best first, at most `limit` (1 to 20), without pages it did not give an address of.
   * @throws EndpointError when it refuses, fails, answers with something else, or is out of quota; 429 for too many.
   */
  search(query: WebQuery, limit: number, options?: { signal?: AbortSignal }): Promise<WebResult[]>;
}
