import type { Language } from "../../types/evidence.js";

export interface WebQuery {
  text: string;
  /** The language of the pages wanted; "other": any. */
  language: Language;
  /** The user's country as an ISO 3166 code such as "nl"; empty if unknown. */
  region: string;
  /** The maximum age of pages, where the engine supports it. */
  recency: "any" | "day" | "week" | "month" | "year";
}

export interface WebResult {
  /** http or https. */
  url: string;
  title: string;
  /** The engine's excerpt of the page, as plain text. */
  snippet: string;
  /** An ISO date, or empty. */
  published: string;
}

/** A search engine for the web. */
export interface WebSearch {
  /**
   * Finds pages, best first, at most `limit` (1 to 20).
   * @throws EndpointError if the engine refuses, fails or replies with something else; status 429 if it is over quota.
   */
  search(query: WebQuery, limit: number, options?: { signal?: AbortSignal }): Promise<WebResult[]>;
}
