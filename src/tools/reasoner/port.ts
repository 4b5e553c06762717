import type { Citing } from "../../citing/style.js";
import type { CheckedClaim, Draft, DraftClaim, Intent, Report, Usage } from "../../types/answer.js";
import type { Evidence, Language, Passage, Verdict } from "../../types/evidence.js";
import type { GraphRow } from "../../types/graph.js";
import type { GraphSchema, Triple } from "../knowledge/port.js";

/** What a reasoner may use for one task, and where it says what it used. */
export interface Call {
  /** Aborts when the run's time is up or the caller gave up. */
  readonly signal: AbortSignal;
  /** How many model calls are left in the budget; a reasoner that needs more throws. */
  readonly calls: number;
  /** To be called once for every request to a model, also for one that failed. */
  spent(usage: Usage): void;
  /** To be called when something failed and a lesser way was taken instead; becomes part of the decision log. */
  fault(error: Error): void;
}

/** The question and its evidence: the same for every stage of a round, so that prompts share their beginning. */
export interface Task {
  /** The user's question, standing on its own. Never a rewritten query. */
  question: string;
  language: Language;
  /** In order of retrieval; later rounds append. */
  evidence: readonly Evidence[];
}

export interface Grade {
  /** For each piece of evidence, in order, the relevance (0 to 1) of each strip that `strips(text)` cuts it into. */
  relevance: number[][];
  answerability: Verdict["answerability"];
  /** How probable it is that the evidence answers, 0 to 1; absent where nothing measures it. */
  probability?: number;
  missing: string;
  entities: string[];
  clarification: string;
  reason: string;
}

/** Judges every strip and the evidence as a whole, in one go. */
export interface Grader {
  grade(task: Task, call: Call): Promise<Grade>;
}

export interface Turn {
  question: string;
  answer: string;
}

/** Says a question differently. */
export interface Rewriter {
  /** The follow-up as a question that can be understood without the turns before it (oldest first). */
  standalone(question: string, history: readonly Turn[], call: Call): Promise<string>;

  /**
   * One short search query in the question's language that keeps its names, numbers and negation.
   * May return a query that was tried before: the caller notices.
   */
  rewrite(task: Task & { queries: readonly string[]; missing: string }, call: Call): Promise<string>;
}

/** A question whose evidence comes graded: its kept strips are what an answer may use. */
export interface GenerateTask extends Task {
  intent: Intent;
  /** How the answer comes by its citations; "quote" where nothing is said. What comes back is the same in every style. */
  citing?: Citing;
  /** What checking found on an earlier draft. */
  repair?: Report;
}

/** Drafts an answer as claims with verbatim quotes. A quote that was not found is empty. */
export interface Generator {
  /**
   * @param onClaim is called with each claim as soon as it is complete, in order.
   * @returns an empty list of claims when the evidence does not answer.
   */
  generate(task: GenerateTask, call: Call, onClaim?: (claim: DraftClaim) => void): Promise<Draft>;
}

/** Settles the claims that deterministic checks left in doubt, all in one go. */
export interface Checker {
  check(task: Task & { claims: readonly DraftClaim[] }, call: Call): Promise<Judgement[]>;
}

/** One judgement a claim, in order. */
export type Judgement = Pick<CheckedClaim, "verdict" | "reason">;

export interface CypherTask {
  question: string;
  language: Language;
  schema: GraphSchema;
  /** What the question may turn on, by the names and labels that the graph has for it. */
  entities: readonly { name: string; type: string }[];
  /** Queries for this question that were refused or failed, oldest first, with the server's words. */
  tried: readonly { cypher: string; error: string }[];
}

/** Writes a query for a question. What it writes is never trusted: the graph's guard decides whether it runs. */
export interface CypherWriter {
  /** Undefined where the graph cannot hold the answer. Values of the question go into the parameters, not into the text. */
  write(task: CypherTask, call: Call): Promise<{ cypher: string; parameters: GraphRow } | undefined>;
}

/** Reads out of a passage what it states of things that have a name. */
export interface TripleExtractor {
  /** Changes when it would read the same passage differently: its form and version, its model, its ontology. One line. */
  readonly identity: string;
  /** How many passages are best read side by side, and stored together: a costly reading is stored as soon as it is done. */
  readonly atOnce: number;
  /**
   * Each triple with the words of the passage it rests on. Nothing of it is trusted: what does not stand in the passage
   * is dropped by whoever calls this.
   * @throws EndpointError and MalformedReplyError where a model does the reading.
   */
  extract(passage: Passage, call: Call): Promise<Triple[]>;
}

/** Which types and relations a graph may have. What a text says in other words of the same meaning is an alias. */
export interface Ontology {
  entities: readonly OntologyTerm[];
  relations: readonly (OntologyTerm & {
    /** The types it joins, by name; absent where anything will do. */
    from?: string | undefined;
    to?: string | undefined;
  })[];
}

export interface OntologyTerm {
  name: string;
  aliases: readonly string[];
}
