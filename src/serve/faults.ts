import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";
import { toError, UsageError } from "../errors.js";

/** What a client is told about an error. */
export interface Told {
  status: ContentfulStatusCode;
  /** In words that help the client, and that tell nothing else of the server. */
  message: string;
}

/** Returns what a client is told about an error; status 500 for one that only the server's own people can mend. */
export function told(thrown: unknown): Told {
  const error = toError(thrown);
  if (error instanceof HTTPException) return { status: error.status as ContentfulStatusCode, message: error.message };
  if (error instanceof UsageError) return { status: 400, message: error.message };
  if (error instanceof z.ZodError) return { status: 400, message: inWords(error) };
  if (error instanceof SyntaxError) return { status: 400, message: "The body is no JSON." };
  if (UNAVAILABLE.has(error.name)) return { status: 503, message: error.message };
  return { status: 500, message: "Something failed. The log of the server says what." };
}

const UNAVAILABLE: ReadonlySet<string> = new Set([
  "StoreUnavailableError",
  "EmptyStoreError",
  "EndpointError",
  "AbortError",
]);

/** Names a few of the faults: a body of 100,000 wrong messages has as many. */
const inWords = ({ issues }: z.ZodError) =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}.`)
    .join(" ");
