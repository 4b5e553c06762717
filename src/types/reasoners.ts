import type { CheckedClaim, Citing, Draft, DraftClaim, Finding, Intent, Report } from "./answer.js";
import type { Call } from "./call.js";
import type { Evidence, Read, Verdict } from "./evidence.js";
import type { Field } from "./field.js";
import type { Language } from "./language.js";
import type { TableHead } from "./table.js";

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
  /** What was read in each piece of evidence, to be kept with it. Absent: nothing to keep. */
  read?: Read[][];
  answerability: Verdict["answerability"];
  /** Calibrated probability (0 to 1) that the evidence answers; absent if nothing measures it. */
  probability?: number;
  missing: string;
  entities: string[];
  clarification: string;
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

/** A task with graded evidence. */
export interface GenerateTask extends Task {
  intent: Intent;
  /** How the model is asked to cite. Default: "inline". The draft has the same shape in every style. */
  citing?: Citing;
  /** How to write the answer, in the operator's words: tone, length, audience. */
  instructions?: string;
  /** How freely it is worded, from 0 to 2. Default: 0. */
  temperature?: number | undefined;
  /** The share of the likeliest words to choose from, from 0 to 1. Default: the model's. */
  topP?: number | undefined;
  /** What grading found; absent if nothing was graded. */
  verdict?: Verdict;
  /** What the generator asked to look for before, and what was found. */
  findings?: readonly Finding[];
  /** Where the draft may ask to look for more. Default: nowhere. */
  lookUps?: {
    documents: boolean;
    graph: boolean;
    web: boolean;
    /** The tables that it may query. Default: none. */
    tables?: readonly TableHead[];
  };
  /** The report on an earlier draft that was rejected. */
  repair?: Report;
}

/** Drafts an answer as claims with verbatim quotes. A quote that could not be found is empty. */
export interface Generator {
  /**
   * True if its drafts decide: it reads whole passages, may ask to look for more, and says itself whether they answer.
   * Absent, or false: the grader decides whether there is a draft.
   */
  leads?(call: Call): Promise<boolean>;

  /**
   * @param onClaim is called with each claim as soon as it is complete, in order.
   * @returns an empty list of claims when the evidence does not answer.
   */
  generate(task: GenerateTask, call: Call, onClaim?: (claim: DraftClaim) => void): Promise<Draft>;
}

export interface CheckTask extends Task {
  claims: readonly DraftClaim[];
}

/** Judges the claims that exact code leaves open, all in one call, by the whole passages that they cite. */
export interface Checker {
  /** True if its verdicts count. Absent: they do. */
  leads?(call: Call): Promise<boolean>;

  /** @returns one judgement a claim, in order. */
  check(task: CheckTask, call: Call): Promise<Judgement[]>;
}

export interface FillTask {
  question: string;
  /** The only source of the values. */
  statements: readonly string[];
  fields: Readonly<Record<string, Field>>;
}

/** Extracts values from statements. Values are not checked: the caller compares each with the statements. */
export interface Filler {
  /** @returns a value for each field; null if no statement gives one. */
  fill(task: FillTask, call: Call): Promise<Record<string, unknown>>;
}

/** A checker says why in its own words: `{ code: "own", words }`. `words` are those of the source that decide. */
export type Judgement = Pick<CheckedClaim, "verdict" | "reason"> & { words?: readonly string[] };

/** What a run reasons with. */
export interface Reasoners {
  grader: Grader;
  rewriter: Rewriter;
  generator: Generator;
  /** Asked about the claims that exact code leaves open. Without it, or if it fails, the encoder decides. */
  checker?: Checker;
}
