import { z } from "zod";
import { Citing } from "../citing/style.js";
import { UsageError } from "../errors.js";
import type { Tools } from "../tools/tools.js";

/** What one run may spend. Reaching a limit ends the run with an answer, never with an error. */
export const Budget = z.object({
  rounds: z.number().int().min(1).max(10).default(3).describe("How often evidence is gathered and graded, at most."),
  calls: z.number().int().min(0).max(100).default(12).describe("Model calls, at most."),
  tokens: z.number().int().min(0).default(100_000).describe("Tokens in and out, at most; checked after each step."),
  seconds: z.number().min(0).max(3600).default(60).describe("Time inside the graph, at most."),
  steps: z.number().int().min(8).max(200).default(60).describe("Nodes visited, at most."),
});
export type Budget = z.infer<typeof Budget>;

const Sources = z.object({
  graph: z.boolean().default(true).describe("Ask the knowledge graph for the missing facts."),
  web: z.boolean().default(true).describe("Search the web for what is still missing, where a search engine is set up."),
});

const domains = (text: string) => z.array(z.string().min(1).max(253)).max(200).default([]).describe(text);

const Web = z.object({
  approve: z
    .boolean()
    .default(false)
    .describe("Show the outgoing queries to a person first, who may change or refuse them."),
  pages: z.number().int().min(1).max(10).default(4).describe("Pages read for one search, at most."),
  allow: domains("Only pages of these domains; empty for all."),
  deny: domains("No pages of these domains."),
  prefer: domains("Pages of these domains first."),
  region: z.string().max(2).default("").describe("Where the asker is: a country code such as nl."),
  recency: z.enum(["any", "day", "week", "month", "year"]).default("any").describe("Pages no older than this."),
});

/** How a run decides. Given a run by its caller; the same graph serves every context. Holds no secret. */
export const Context = z.object({
  generateAt: z.number().min(0).max(1).default(0.6).describe("Relevance from which evidence is good enough to answer."),
  rewriteBelow: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe("Relevance below which the question is said differently."),
  minRelevant: z
    .number()
    .int()
    .min(1)
    .default(2)
    .describe("Relevant passages that stand in for an answerability verdict where the grader has none."),
  passages: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      "Passages an answer may use. 0 decides by the question: 4 for a definition, 10 for a comparison, else 8.",
    ),
  repairs: z.number().int().min(0).max(3).default(1).describe("How often a draft with unsupported claims is repaired."),
  citing: Citing.default("quote").describe(
    "How an answer comes by its citations. quote: the model copies the words; document: it names sources; inline: prose with [1][2]; sources: prose, and a list of what was used; compress: it sees and cites relevant strips alone; annotate: prose first, citations after.",
  ),
  sources: Sources.prefault({}).describe("Where to look when the documents do not answer."),
  web: Web.prefault({}).describe("How the web is searched."),
  budget: Budget.prefault({}).describe("What the run may spend. Reaching a limit ends it with an answer."),
});
export type Context = z.infer<typeof Context>;
export type ContextInput = z.input<typeof Context>;

/**
 * The context of a run with every default filled in. LangGraph hands over what the caller gave: nothing, `{}` or a part.
 * @throws UsageError when a value is out of range, naming it.
 */
export function contextOf(config: { context?: unknown; recursionLimit?: number } | undefined): Context {
  const parsed = Context.safeParse(config?.context ?? {});
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map((i) => `context.${i.path.join(".")}: ${i.message}.`).join(" "));
  const context = parsed.data;
  // The caller's recursion limit is a hard stop that answers nothing, so the budget's softer one ends the run first.
  const steps = Math.min(context.budget.steps, (config?.recursionLimit ?? Number.POSITIVE_INFINITY) - STEPS_TO_FINISH);
  return { ...context, budget: { ...context.budget, steps } };
}

/** The context with the sources that there are: what no tool was given for is off, whatever the caller asked for. */
export const contextFor =
  ({ knowledge, webSearch, pageReader }: Pick<Tools, "knowledge" | "webSearch" | "pageReader">) =>
  (config: Parameters<typeof contextOf>[0]): Context => {
    const context = contextOf(config);
    const { graph, web } = context.sources;
    const sources = {
      graph: graph && knowledge !== undefined,
      web: web && webSearch !== undefined && pageReader !== undefined,
    };
    return { ...context, sources };
  };

/**
 * The last step that finds the budget unspent may still be followed by rewriteQuery, retrieve, grade, generate,
 * checkAnswer and respond.
 */
const STEPS_TO_FINISH = 6;
