import { z } from "zod";
import { GraphFact, Provenance } from "./knowledge.js";
import { Language } from "./language.js";
import { Metadata } from "./metadata.js";
import { Computed } from "./table.js";

/** A half-open range of UTF-16 offsets into one text: `text.slice(start, end)`. */
export const Span = z.object({ start: z.number().int().min(0), end: z.number().int().min(0) });
export type Span = z.infer<typeof Span>;

/** A piece of a document, as it is stored. `text` is the document's own words, cut out and not rewritten. */
export const Passage = z.object({
  /** Unique in the store: the document's id, `#`, and the position. */
  id: z.string(),
  documentId: z.string(),
  /** 0 for the first passage of its document. */
  position: z.number().int().min(0),
  title: z.string(),
  /** The location of the document: a path or an address. */
  uri: z.string(),
  /** The headings above the passage, outermost first, joined by " › ". Empty above the first heading. */
  section: z.string(),
  text: z.string(),
  language: Language,
  /** The date of the last review, as an ISO date; empty if the document does not state it. */
  reviewedAt: z.string(),
  /** The hash of the whole document's content; equal hashes mean nothing changed. */
  hash: z.string(),
  /**
   * What the document states about itself. Absent if an older version of emend, which did not read it, stored the
   * passage.
   */
  metadata: Metadata.optional(),
});
export type Passage = z.infer<typeof Passage>;

/** A few sentences of a piece of evidence, judged on their own (the knowledge strips of CRAG, arXiv 2401.15884). */
export const Strip = Span.extend({
  /** 0 (says nothing about the question) to 1 (directly relevant to it). */
  relevance: z.number().min(0).max(1),
});
export type Strip = z.infer<typeof Strip>;

/** How the local reader scores a unit of a piece of evidence: a sentence, a list item or a table row. */
const UnitScore = Span.extend({
  /** The probability that it answers the question, 0 to 1. */
  answers: z.number().min(0).max(1),
  /** How much it is about the question's subject, whether or not it answers, 0 to 1. */
  relevance: z.number().min(0).max(1),
  /** The words that answer, if it was read alone; else empty. */
  words: z.string(),
  /** How likely its section is the procedure that a question about steps asks for, 0 to 1; 0 for other questions. */
  procedure: z.number().min(0).max(1).default(0),
});

/** What the local reader found in a piece of evidence for a question. */
export const Read = z.object({ question: z.string(), units: z.array(UnitScore) });
export type Read = z.infer<typeof Read>;

/** A piece of evidence: a passage of a document, a fact of a graph, a part of a web page, or what was computed from tables. */
export const Evidence = z.object({
  id: z.string(),
  source: z.enum(["document", "graph", "web", "table"]),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  text: z.string(),
  language: Language,
  /** The retriever's score; comparable within one retrieval only. */
  score: z.number(),
  /** The best of its strips, 0 to 1; 0 before grading. */
  relevance: z.number().min(0).max(1),
  /** Its strips, in order, covering the text; empty before grading. */
  strips: z.array(Strip),
  /** What grading read, for each part of the question, so that nothing reads it again; absent if no encoder reads. */
  read: z.array(Read).optional(),
  /** ISO time. */
  retrievedAt: z.string(),
  /** ISO date, or empty where the source does not say. */
  reviewedAt: z.string(),
  /** The first and the last day on which its document is valid, as ISO dates; absent if unknown. */
  validFrom: z.string().optional(),
  validUntil: z.string().optional(),
  /** The locations of other passages that were found and repeat this one; absent if there are none. */
  alsoIn: z.array(z.string()).optional(),
  /** True if the next passage of its document is of the same section. */
  goesOn: z.boolean().optional(),
  /** What its document states about itself. */
  metadata: Metadata.optional(),
  /** For a fact of a graph: the query and the rows that its text is made from. */
  provenance: Provenance.optional(),
  /** Set if the text is a search engine's excerpt of a page that could not be read. */
  preview: z.literal(true).optional(),
  /** The fact as data, if it was looked up by name rather than found by a query. */
  fact: GraphFact.optional(),
  /** For a figure or rows of tables: the query, its result, and the rows that it rests on. */
  computed: Computed.optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** The grader's verdict on the evidence as a whole. */
export const Verdict = z.object({
  /** CRAG's three: correct (generate), ambiguous (look further), incorrect (look elsewhere). */
  grade: z.enum(["correct", "ambiguous", "incorrect"]),
  /** The best relevance of any strip, 0 to 1. */
  relevance: z.number().min(0).max(1),
  /** Answerability: how much of the question the evidence as a whole answers (arXiv 2411.06037). "unknown" if the grader cannot tell. */
  answerability: z.enum(["full", "partial", "none", "unknown"]),
  /** Calibrated probability that the evidence answers, 0 to 1; absent without a judge. */
  probability: z.number().min(0).max(1).optional(),
  /** The missing part of the evidence, in the question's language; empty if none. */
  missing: z.string(),
  /** The key entities of the question, as written there. */
  entities: z.array(z.string()),
  /** A question back to the user if the question is ambiguous; empty otherwise. */
  clarification: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;

/** True if a judge has graded the evidence. */
export const hasJudge = (verdict: Pick<Verdict, "probability"> | undefined): boolean =>
  verdict?.probability !== undefined;

/** True if the judge can say neither that the evidence answers nor that it does not. */
export const isUnsure = (verdict: Pick<Verdict, "answerability" | "probability" | "grade"> | undefined): boolean =>
  verdict?.answerability === "unknown" && verdict.probability !== undefined && verdict.grade !== "correct";

/** A document to cut into passages. */
export interface SourceDocument {
  /** The path relative to the working directory, or absolute if outside; always with forward slashes. */
  documentId: string;
  uri: string;
  title: string;
  /** An ISO date; empty if unknown. */
  reviewedAt: string;
  format: "markdown" | "text";
  /** Without front matter and invisible characters. Line ends are unchanged. */
  text: string;
  /**
   * The pages, times or messages of the text, in order, each with its start offset. No passage spans two of them. A date
   * of its own, an ISO date or empty, counts for its passages instead of the document's.
   */
  places?: readonly { start: number; name: string; reviewedAt?: string }[];
  /** What it states about itself, made by `metadataOf`. */
  metadata?: Metadata;
  /** Changes with the content, and with the version of the code that reads and cuts it. */
  hash: string;
}
