import type { Citing } from "../../citing/style.js";
import type { CheckedClaim, Draft, DraftClaim, Intent, Report, Usage } from "../../types/answer.js";
import type { Evidence, Language, Passage, Verdict } from "../../types/evidence.js";
import type { GraphRow } from "../../types/knowledge.js";
import type { GraphSchema, Triple } from "../knowledge/port.js";

/** The budget of one task, and where the reasoner reports what it spends. */
export interface Call {
  /** Aborts when the run's time is up or the caller aborts. */
  readonly signal: AbortSignal;
  /** The model to ask, by its name at the endpoint. Default, also if empty: that of the settings. */
  readonly model?: string;
  /** True if the caller wants every judgement of a model, not only those that code and the encoder need. */
  readonly thorough?: boolean;
  /** Model calls left in the budget; a reasoner that needs more throws BudgetSpentError. */
  readonly calls: number;
  /** Must be called once for every request to a model, including failed ones. */
  spent(usage: Usage): void;
  /** Reports a failure that a fallback made up for; becomes part of the decision log. */
  fault(error: Error): void;
}

/** The question and its evidence: the same for every stage of a round, so that prompts share a cacheable prefix. */
export interface Task {
  /** The user's question, self-contained. Never a rewritten query. */
  question: string;
  language: Language;
  /** In order of retrieval; later rounds append. */
  evidence: readonly Evidence[];
}

export interface Grade {
  /** Relevance (0 to 1): one row per piece of evidence, one value per strip of `strips(text)`. */
  relevance: number[][];
  answerability: Verdict["answerability"];
  /** Calibrated probability (0 to 1) that the evidence answers; absent where nothing measures it. */
  probability?: number;
  /** True if a draft should decide whether the evidence answers. */
  undecided?: boolean;
  missing: string;
  entities: string[];
  clarification: string;
  reason: string;
}

/** Grades every strip and the evidence as a whole, in one call at most. */
export interface Grader {
  grade(task: Task, call: Call): Promise<Grade>;
}

export interface Turn {
  question: string;
  answer: string;
}

/** Rewrites questions. */
export interface Rewriter {
  /** Returns the follow-up as a question that can be understood without its history (oldest turn first). */
  standalone(question: string, history: readonly Turn[], call: Call): Promise<string>;

  /**
   * Returns one short search query in the question's language that keeps its names, numbers and negation.
   * It may be one that was tried before: the caller checks.
   */
  rewrite(task: Task & { queries: readonly string[]; missing: string }, call: Call): Promise<string>;
}

/** A task with graded evidence: an answer may use its kept strips only. */
export interface GenerateTask extends Task {
  intent: Intent;
  /** How the model is asked to cite. Default: "inline". The draft has the same shape in every style. */
  citing?: Citing;
  /** How to write the answer, in the words of whoever runs the agent: tone, length, audience. */
  instructions?: string;
  /** What grading found; absent if nothing was graded. */
  verdict?: Verdict;
  /** The report on an earlier draft that was rejected. */
  repair?: Report;
}

/** Drafts an answer as claims with verbatim quotes. A quote that could not be found is empty. */
export interface Generator {
  /**
   * @param onClaim is called with each claim as soon as it is complete, in order.
   * @returns an empty list of claims when the evidence does not answer.
   */
  generate(task: GenerateTask, call: Call, onClaim?: (claim: DraftClaim) => void): Promise<Draft>;
}

/** Judges the claims that the deterministic checks could not decide, all in one call. */
export interface Checker {
  check(task: Task & { claims: readonly DraftClaim[] }, call: Call): Promise<Judgement[]>;
}

/** Returned once per claim, in order. */
export type Judgement = Pick<CheckedClaim, "verdict" | "reason">;

export interface CypherTask {
  question: string;
  language: Language;
  schema: GraphSchema;
  /** The entities that the question may be about, with their names and labels in the graph. */
  entities: readonly { name: string; type: string }[];
  /** Queries for this question that were rejected or failed, oldest first, with the server's message. */
  tried: readonly { cypher: string; error: string }[];
}

/** Writes a Cypher query for a question. The query is not trusted: the graph's guard decides whether it runs. */
export interface CypherWriter {
  /** Undefined where the graph cannot hold the answer. The question's values belong in the parameters, not in the text. */
  write(task: CypherTask, call: Call): Promise<{ cypher: string; parameters: GraphRow } | undefined>;
}

/** Extracts from a passage what it states about named entities. */
export interface TripleExtractor {
  /** Changes whenever the same passage would be read differently: kind, version, model, ontology. One line. */
  readonly identity: string;
  /** How many passages to read in parallel and store together; small where reading is slow, so that little is lost. */
  readonly atOnce: number;
  /**
   * Returns triples, each with a quote from the passage. They are not trusted: the caller drops what the passage does not
   * contain.
   * @throws EndpointError and MalformedReplyError where a model does the reading.
   */
  extract(passage: Passage, call: Call): Promise<Triple[]>;
}

/** The entity types and relations that a graph may have. Aliases are other words for the same thing. */
export interface Ontology {
  entities: readonly OntologyTerm[];
  relations: readonly (OntologyTerm & {
    /** The names of the types it joins; absent for any type. */
    from?: string | undefined;
    to?: string | undefined;
  })[];
}

export interface OntologyTerm {
  name: string;
  aliases: readonly string[];
}
