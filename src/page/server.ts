import type { Decided, MadeQuestion } from "../evaluate/made.js";
import type { Support } from "../types/answer.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Conversation } from "../types/conversation.js";
import type { AgentEvent } from "../types/events.js";
import type { Span } from "../types/evidence.js";
import type { QualityReply } from "../types/run.js";
import { eventsIn } from "./turn.js";

/** The server needs a token, or did not accept the one it got. */
export class TokenWanted extends Error {}

/** The server did not get a file, or could not answer. */
export class ConnectionLost extends Error {}

/** The token is kept until the tab is closed. */
const TOKEN = "emend-token";
/** The only token of a widget, which is not kept; empty for none. */
let only: string | undefined;
export const onlyToken = (token: string) => {
  only = token;
};
const tokenNow = () => only ?? sessionStorage.getItem(TOKEN) ?? "";
export const hasToken = () => tokenNow() !== "";
export const keepToken = (token: string) => sessionStorage.setItem(TOKEN, token);
export const forgetToken = () => sessionStorage.removeItem(TOKEN);

/** Who asks, as far as the server knows without a token, and how one gets in. */
export interface Me {
  /** Names the user to this page alone. */
  id: string | null;
  name: string | null;
  canSignIn: boolean;
  canSignOut: boolean;
  takesTokens: boolean;
}

export interface Drawing {
  nodes: string[];
  edges: { source: string; target: string; label: string }[];
}

/** Values of a key by which documents are readable. */
export interface Readers {
  key: string;
  values: string[];
}

/** What the user may do. Without `upload`, no documents can be added. */
export interface Rights {
  upload: {
    extensions: string[];
    /** The most bytes of a file. */
    bytes: number;
    /** What the user has to choose from before anything is sent. */
    scope: Readers[];
  } | null;
}

/** A document, or a file that is to become one. */
export interface ListedDocument {
  id: string;
  title: string;
  state: "waiting" | "reading" | "ready" | "failed";
  reason: string;
  passages: number;
  uploaded: boolean;
  bytes?: number;
  original: boolean;
}

export interface OpenedDocument {
  documentId: string;
  title: string;
  uri: string;
  reviewedAt: string;
  /** True if the original file can be opened. */
  original: boolean;
  /** True if its pages can be shown. */
  drawn: boolean;
  /** The slide of the first passage, from 1, and how many there are. */
  slide?: { number: number; of: number };
  /** Who wrote a mail to whom, and when. */
  mail?: Partial<Record<"from" | "to" | "cc" | "date", string[]>>;
  passages: { id: string; section: string; text: string }[];
}

/** A page of a document, from 1, and where quotes stand on it, in shares of its width and height. */
export interface PagePlaces {
  page: number;
  pages: number;
  boxes: { x: number; y: number; width: number; height: number }[];
}

/** The rows of a table from its first one on, or from a later one, as they are written now. */
export interface RowsOfTable {
  columns: string[];
  cells: string[][];
  /** How many rows the table has. */
  rows: number;
}

/** A named part of the documents. */
export interface Collection {
  name: string;
  title: string;
  description: string;
}

/** The number of documents, titles of some, and questions about them. */
export interface ExampleQuestions {
  documents: number;
  titles: string[];
  questions: string[];
}

/** A text with its sentences, each judged. */
export interface VerifyReply {
  claims: (Span & {
    verdict: Support;
    reason: ClaimReason;
    citations: { reference: number; quote: string }[];
    /** Words that the sources do not support, in order. */
    wrong: Span[];
  })[];
  references: { number: number; title: string }[];
}

export interface OpinionForm {
  threadId: string;
  question: string;
  verdict: "up" | "down";
  reason?: string;
  expected?: string;
}

/** What an operator found in a run; `expected` or `unanswerable`. */
export interface ReviewForm {
  run: number;
  label?: string;
  expected: string;
  unanswerable: boolean;
}

export const readMe = () => read<Me>("auth/me");
/** Signs out, and returns where to go to do so at the provider too. */
export const signOut = async (): Promise<string> =>
  ((await (await send("auth/sign-out", {})).json()) as { to: string }).to;
export const graphDrawing = () => read<Drawing>("api/graph");
/** @param collection its name; empty for all documents. */
export const examples = (language: string, collection: string) =>
  read<ExampleQuestions>(`api/examples?language=${language}${collection && `&collection=${collection}`}`);
export const readCollections = async () => (await read<{ collections: Collection[] }>("api/collections")).collections;
export const conversation = (id: string) => read<Conversation>(`api/threads/${id}`);
export const passages = (id: string, around: number) =>
  read<OpenedDocument>(`api/passages/${encodeURIComponent(id)}?around=${around}`);
/** Reads the next rows of a table, after so many. */
export const rowsOfTable = (id: string, after: number) =>
  read<RowsOfTable>(`api/tables/${encodeURIComponent(id)}?after=${after}`);
export const readQuality = (days: number, tag: string) =>
  read<QualityReply>(`api/quality?days=${days}${tag && `&tag=${tag}`}`);
export const postVerify = async (text: string, sources: readonly { text: string }[] | undefined, signal: AbortSignal) =>
  (await send("api/verify", { text, sources }, signal)).json() as Promise<VerifyReply>;
export const postReview = (review: ReviewForm) => send("api/quality/reviews", review);
export const readMade = () =>
  read<{ questions: (MadeQuestion & { isKept: boolean; isDropped: boolean })[] }>("api/quality/questions");
export const postDecided = (decided: Decided) => send("api/quality/questions", decided);
export const tell = (opinion: OpinionForm) => send("api/feedback", opinion);

/**
 * Asks, or replies to what the conversation waits for. Web queries are sent only after approval.
 * @param collection the only collection to search; empty for all documents.
 */
export async function* postQuestion(
  question: string,
  threadId: string,
  collection: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const where = collection === "" ? {} : { collection };
  const body = { question, threadId, ...where, stream: true, context: { web: { approve: true } } };
  const reply = await send("api/ask", body, signal);
  if (reply.body) yield* eventsIn(textOf(reply.body));
}

/** @param collection the one that documents would go into; empty for none. */
export const readRights = (collection: string) =>
  read<Rights>(`api/rights${collection && `?collection=${collection}`}`);
export const readDocuments = (after: string) =>
  read<{ documents: ListedDocument[]; next?: string }>(`api/documents?after=${encodeURIComponent(after)}`);
export const readDocument = (id: string) => read<ListedDocument>(addressOfDocument(id));
export const deleteDocument = (id: string) => send(addressOfDocument(id), undefined, undefined, "DELETE");

const addressOfDocument = (id: string) => `api/documents/${encodeURIComponent(id)}`;

/**
 * Sends a file. `fetch` cannot tell how much was sent.
 * @param collection the one that it goes into; empty for none.
 * @param onProgress called with the share that was sent, 0 to 1.
 * @returns what became of it, also if it was not taken.
 */
export function postFile(
  file: File,
  collection: string,
  scope: readonly Readers[],
  onProgress: (share: number) => void,
): Promise<ListedDocument | { title: string; state: "failed"; reason: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof postFile>>>();
  const form = new FormData();
  if (collection !== "") form.append("collection", collection);
  if (scope.length > 0) form.append("scope", JSON.stringify(scope));
  form.append("files", file);
  const request = new XMLHttpRequest();
  request.open("POST", "api/documents");
  if (hasToken()) request.setRequestHeader("Authorization", `Bearer ${tokenNow()}`);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  request.onerror = () => reject(new ConnectionLost());
  request.onload = () => {
    const { documents = [], error = request.statusText } = replyIn(request.responseText);
    const [document] = documents;
    if (request.status === 401) reject(new TokenWanted());
    else if (document) resolve(document);
    else reject(new Error(error));
  };
  request.send(form);
  return promise;
}

function replyIn(text: string): { documents?: ListedDocument[]; error?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export const addressOfOriginal = (documentId: string) => `api/originals/${encodeURIComponent(documentId)}`;

/** Fetches the file of a document and returns a blob URL, since a link sends no token. */
export const originalAsAddress = async (documentId: string) =>
  URL.createObjectURL(await (await send(addressOfOriginal(documentId))).blob());

/** Finds quotes on the page of a passage, or on another page of its document. */
export const placesOnPage = (id: string, quotes: readonly string[], page: number | undefined) =>
  read<PagePlaces>(
    `api/pages/${encodeURIComponent(id)}?${new URLSearchParams([
      ...quotes.map((quote) => ["quote", quote.slice(0, LONGEST_QUOTE)]),
      ...(page === undefined ? [] : [["page", `${page}`]]),
    ])}`,
  );

/** In characters. A server takes an address of some thousands. */
const LONGEST_QUOTE = 1_000;

/** Fetches the picture of a page and returns a blob URL, since an image sends no token. */
export const pageAsPicture = async (documentId: string, page: number) =>
  URL.createObjectURL(await (await send(`${addressOfOriginal(documentId)}?page=${page}`)).blob());

const read = async <T>(path: string): Promise<T> => (await send(path)).json();

async function send(path: string, body?: unknown, signal?: AbortSignal, method = "POST"): Promise<Response> {
  const reply = await fetch(path, {
    headers: {
      ...(hasToken() && { Authorization: `Bearer ${tokenNow()}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    method: body === undefined && method === "POST" ? "GET" : method,
    ...(signal && { signal }),
    // A widget asks with what its page gives it, and with nothing that the browser knows besides.
    ...(only !== undefined && { credentials: "omit" }),
  });
  if (reply.ok) return reply;
  if (reply.status === 401) throw new TokenWanted();
  const { error = reply.statusText } = (await reply.json().catch(() => ({}))) as { error?: string };
  throw new Error(error);
}

/** Uses a reader, since some browsers cannot iterate over a stream. */
async function* textOf(body: ReadableStream<Uint8Array>) {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
