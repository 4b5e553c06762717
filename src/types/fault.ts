import { z } from "zod";

/** A part of the program that failed in a run which went on without it. */
export const Fault = z.object({
  /**
   * What failed: "retriever" (the store, or your own retriever), "embeddings", "reranker", "encoder", "chat_model",
   * "tables", "knowledge_graph", "web_search", "page_reader", "query_understanding", "rewriter", "grader", "generator", "checker"; or
   * the name of a node of yours. Empty in the decision log for what is noted there and is no failure.
   */
  part: z.string().default(""),
  /** The class of the error. */
  name: z.string(),
  /** What it said, on one line of at most 300 characters, without file paths, and without what may be a secret. */
  message: z.string(),
});
export type Fault = z.infer<typeof Fault>;

/** The parts that fail when a step throws, by the name of the step. */
const PARTS: Readonly<Record<string, string>> = {
  understand: "query_understanding",
  retrieve: "retriever",
  grade: "grader",
  queryTables: "tables",
  queryGraph: "knowledge_graph",
  searchWeb: "web_search",
  readPages: "page_reader",
  rewriteQuery: "rewriter",
  generate: "generator",
  checkAnswer: "checker",
  clarify: "clarification",
  respond: "retriever",
};

/** Returns the part that a step stands for; a node that was added from outside stands for itself. */
export const partOf = (step: string): string => PARTS[step] ?? step;

/** True for a node that was added from outside. */
export const isOwn = (step: string): boolean => !(step in PARTS);

/**
 * True if a fault may be why nothing was found, so that it is unknown whether the documents answer. A node that was added
 * from outside is a source beside them. An unusable reply is a matter of one question.
 */
export const hidesAnswers = ({ part, name }: Fault): boolean => NEEDED.has(part) && name !== "MalformedReplyError";

/** The parts that read and judge what was found. */
const READERS = ["embeddings", "encoder", "chat_model", "query_understanding", "grader", "generator", "checker"];
const NEEDED: ReadonlySet<string> = new Set(["retriever", ...READERS]);

/** True for the fault of a part that reads, judges or rewords, in place of one that is searched. */
export const isOfReader = ({ part }: Fault): boolean => READERS.includes(part) || part === "rewriter";
