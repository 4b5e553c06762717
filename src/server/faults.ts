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
  const unavailable = UNAVAILABLE[error.name];
  if (unavailable !== undefined) return { status: 503, message: unavailable };
  return { status: 500, message: "Something failed. The log of the server says what." };
}

/** The errors' own messages name addresses and paths, which are for the log. */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  StoreUnavailableError:
    "The documents or the conversations cannot be reached. Try again later. The log of the server says why.",
  EmptyStoreError: "There are no documents to search yet.",
  EndpointError: "A model or service that this needs does not answer. Try again later. The log of the server says why.",
  AbortError: "The question was stopped.",
};

/** Names a few of the faults: a body of 100,000 wrong messages has as many. */
const inWords = ({ issues }: z.ZodError) =>
  issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join(".") || "body"}: ${message}.`)
    .join(" ");
