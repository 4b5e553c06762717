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

/** The token is kept until the tab is closed. */
const TOKEN = "emend-token";
export const hasToken = () => sessionStorage.getItem(TOKEN) !== null;
export const keepToken = (token: string) => sessionStorage.setItem(TOKEN, token);

export interface Drawing {
  nodes: string[];
  edges: { source: string; target: string; label: string }[];
}

export interface OpenedDocument {
  documentId: string;
  title: string;
  uri: string;
  reviewedAt: string;
  /** True if the original file can be opened. */
  original: boolean;
  passages: { id: string; section: string; text: string }[];
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

export const graphDrawing = () => read<Drawing>("api/graph");
export const examples = (language: string) => read<ExampleQuestions>(`api/examples?language=${language}`);
export const conversation = (id: string) => read<Conversation>(`api/threads/${id}`);
export const passages = (id: string, around: number) =>
  read<OpenedDocument>(`api/passages/${encodeURIComponent(id)}?around=${around}`);
export const readQuality = (days: number, tag: string) =>
  read<QualityReply>(`api/quality?days=${days}${tag && `&tag=${tag}`}`);
export const postVerify = async (text: string, sources: readonly { text: string }[] | undefined, signal: AbortSignal) =>
  (await send("api/verify", { text, sources }, signal)).json() as Promise<VerifyReply>;
export const postReview = (review: ReviewForm) => send("api/quality/reviews", review);
export const readMade = () =>
  read<{ questions: (MadeQuestion & { isKept: boolean; isDropped: boolean })[] }>("api/quality/questions");
export const postDecided = (decided: Decided) => send("api/quality/questions", decided);
export const tell = (opinion: OpinionForm) => send("api/feedback", opinion);

/** Asks, or replies to what the conversation waits for. Web queries are sent only after approval. */
export async function* postQuestion(
  question: string,
  threadId: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const body = { question, threadId, stream: true, context: { web: { approve: true } } };
  const reply = await send("api/ask", body, signal);
  if (reply.body) yield* eventsIn(textOf(reply.body));
}

export const addressOfOriginal = (documentId: string) => `api/documents/${encodeURIComponent(documentId)}`;

/** Fetches a document and returns a blob URL, since a link sends no token. */
export const originalAsAddress = async (documentId: string) =>
  URL.createObjectURL(await (await send(addressOfOriginal(documentId))).blob());

const read = async <T>(path: string): Promise<T> => (await send(path)).json();

async function send(path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN);
  const reply = await fetch(path, {
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    ...(signal && { signal }),
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
