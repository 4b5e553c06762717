import { z } from "zod";
import { UsageError } from "../errors.js";
import { exactly, faultsIn } from "../options.js";
import { liesWithin } from "../tools/web/merge-results.js";
import { Citing } from "../types/answer.js";
import { Prompts } from "../types/call.js";
import { Filter } from "../types/filter.js";

/** Limits on what one run may spend. Reaching one ends the run with an answer, never with an error. */
export const Budget = exactly({
  rounds: z
    .number()
    .int()
    .min(1)
    .max(10)
    .optional()
    .describe("How often evidence is gathered and graded, at most. Default: 3, or 5 in the thorough form."),
  calls: z
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe("Model calls, at most. Default: 6, or 12 in the thorough form."),
  tokens: z.number().int().min(0).default(100_000).describe("Tokens in and out, at most; checked after each step."),
  seconds: z.number().min(0).max(3600).default(60).describe("Time inside the graph, at most."),
  steps: z.number().int().min(8).max(200).default(60).describe("Nodes visited, at most."),
});
export type Budget = z.infer<typeof Budget>;

const Sources = exactly({
  tables: z.boolean().default(true).describe("Query the tables of the documents for counts, sums and the like."),
  graph: z.boolean().default(true).describe("Ask the knowledge graph for the missing facts."),
  web: z.boolean().default(true).describe("Search the web for what is still missing, where a search engine is set up."),
});

const domains = (text: string) => z.array(z.string().min(1).max(253)).max(200).default([]).describe(text);

const Web = exactly({
  approve: z
    .boolean()
    .default(false)
    .describe("Show the outgoing queries to a person first, who may change or refuse them."),
  pages: z.number().int().min(1).max(10).default(4).describe("Pages read for one search, at most."),
  allow: domains("Only pages of these domains; empty for all."),
  deny: domains("No pages of these domains."),
  prefer: domains("Pages of these domains first."),
  region: z.string().max(2).default("").describe("The asker's country, as a code such as nl."),
  recency: z.enum(["any", "day", "week", "month", "year"]).default("any").describe("Pages no older than this."),
});

/** The options of a run, set by its caller. One graph serves every context. Holds no secrets. */
export const Context = exactly({
  generateAt: z.number().min(0).max(1).default(0.6).describe("Relevance from which evidence is good enough to answer."),
  rewriteBelow: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe("Relevance below which evidence makes room for other evidence."),
  minRelevant: z
    .number()
    .int()
    .min(1)
    .default(2)
    .describe("Number of relevant passages that counts as an answer if the grader gives no answerability verdict."),
  passages: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe(
      "Passages that are retrieved at first. 0 decides: 9 for a model that leads, else 4 for a definition, 10 for a comparison, 8 for the rest.",
    ),
  thorough: z
    .boolean()
    .default(false)
    .describe("Let the chat model look for more, up to four times instead of two, and spend 12 calls."),
  repairs: z.number().int().min(0).max(3).default(1).describe("How often a draft with unsupported claims is repaired."),
  staleAfter: z
    .number()
    .int()
    .min(0)
    .default(730)
    .describe(
      "Days after its last review from which a source is old: an answer says if nothing newer supports it. 0: never.",
    ),
  citing: Citing.default("inline").describe(
    "How an answer gets its citations. inline: the model writes prose with [1][2]; quote: it copies the words; document: it names sources; sources: prose, and a list of what was used; compress: it cites single parts of sources; annotate: prose first, citations after.",
  ),
  model: z
    .string()
    .trim()
    .max(200)
    .default("")
    .describe(
      "The chat model that answers and checks, by its name at the endpoint that is set up. Empty: the usual one.",
    ),
  instructions: z
    .string()
    .max(2000)
    .default("")
    .describe(
      "How to write the answer: tone, length, audience. Only a chat model follows this; every claim is still checked.",
    ),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe("How freely a chat model words the answer. Default: 0, its likeliest words. It always judges at 0."),
  topP: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      "The share of the likeliest words that a chat model chooses from when it writes the answer. Default: the model's.",
    ),
  prompts: Prompts.prefault({}).describe("What a chat model is told at each stage. Every claim is still checked."),
  filter: Filter.default([]).describe(
    "Only documents, and facts from documents, that state this about themselves; all conditions hold.",
  ),
  sources: Sources.prefault({}).describe("Where to look when the documents do not answer."),
  web: Web.prefault({}).describe("How the web is searched."),
  budget: Budget.prefault({}).describe("What the run may spend. Reaching a limit ends it with an answer."),
});
export type Context = z.infer<typeof Context>;
export type ContextInput = z.input<typeof Context>;

/** The number of rounds that a run may take. */
export const mostRounds = ({ thorough, budget }: Pick<Context, "thorough" | "budget">): number =>
  budget.rounds ?? (thorough ? 5 : 3);

/** The number of model calls that a run may make. */
export const mostCalls = ({ thorough, budget }: Pick<Context, "thorough" | "budget">): number =>
  budget.calls ?? (thorough ? 12 : 6);

/** The context as a LangGraph server describes it: every field may be left out. */
export const ContextForm = Context.extend({
  sources: Sources.partial().describe("Where to look when the documents do not answer."),
  prompts: Prompts.partial().describe("What a chat model is told at each stage. Every claim is still checked."),
  web: Web.partial().describe("How the web is searched."),
  budget: Budget.partial().describe("What the run may spend. Reaching a limit ends it with an answer."),
}).partial();

/**
 * The same for LangGraph, which refuses nothing by it: it would use words of its own, and takes `configurable` for the
 * context if there is none.
 */
export const ContextShown = z.object(
  Object.fromEntries(
    Object.entries(z.toJSONSchema(ContextForm, { io: "input" }).properties ?? {}).map(([name, field]) => [
      name,
      z
        .unknown()
        .optional()
        .meta(field as Record<string, unknown>),
    ]),
  ),
) as unknown as typeof ContextForm;

/** Merges a context over the usual one, group by group. */
export const merged = (usual: ContextInput = {}, now: ContextInput = {}): ContextInput => ({
  ...usual,
  ...now,
  sources: { ...usual.sources, ...now.sources },
  prompts: { ...usual.prompts, ...now.prompts },
  web: { ...usual.web, ...now.web },
  budget: { ...usual.budget, ...now.budget },
});

/** The part of a LangGraph call's config that determines the context. */
interface Config {
  context?: unknown;
  recursionLimit?: number;
  configurable?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the permissions of a run at this point, with every default filled in. Permissions belong to the run: a later
 * call of the same run, such as a resume, keeps those it leaves out and can only narrow the others. A fork is a new
 * decision by its caller, so its values replace the old ones.
 * @param allowed the permissions so far; undefined at the start of a run.
 * @throws UsageError when a value is out of range or a name is unknown, naming it.
 */
export function contextOf(config: Config | undefined, allowed?: Context): Context {
  const given = withoutServers(config?.context ?? {});
  const parsed = Given.safeParse({ context: given });
  if (!parsed.success) throw new UsageError(faultsIn(parsed.error));
  const { context } = parsed.data;
  if (!allowed) return context;
  const now = laidOver(allowed, context, given);
  return isFork(config) ? now : narrowed(allowed, now);
}

const Given = exactly({ context: Context });

/**
 * Leaves out what LangGraph's servers add to the context of a graph: ids, names of their own, and headers of the request.
 */
const withoutServers = (given: object): object =>
  Object.getPrototypeOf(given) === Object.prototype
    ? Object.fromEntries(Object.entries(given).filter(([name]) => !SERVERS.test(name)))
    : given;

const SERVERS =
  /^(?:__(?!proto__$)|x-|user-agent$|lang(?:graph|smith)[_-]|checkpoint_|(?:assistant|graph|run|task|thread|user)_id$)/;

/** The values of `now` that were given, and the others as they were. */
function laidOver(before: Context, now: Context, given: ContextInput): Context {
  const { sources, prompts, web, budget } = given;
  return {
    ...before,
    ...only(now, given),
    sources: { ...before.sources, ...only(now.sources, sources) },
    prompts: { ...before.prompts, ...only(now.prompts, prompts) },
    web: { ...before.web, ...only(now.web, web) },
    budget: { ...before.budget, ...only(now.budget, budget) },
  };
}

/** Those of the values whose names were given something. */
export const only = <T extends object>(values: T, given: { [Name in keyof T]?: unknown } = {}): Partial<T> => {
  const named = Object.keys(values).filter((name) => given[name as keyof T] !== undefined);
  return Object.fromEntries(named.map((name) => [name, values[name as keyof T]])) as Partial<T>;
};

/** The permissions common to both, never more than the first. Values that limit nothing (thresholds, style, region) stay as in the first. */
function narrowed(allowed: Context, now: Context): Context {
  const allow = commonDomains(allowed.web.allow, now.web.allow);
  const { tokens, seconds, steps } = now.budget;
  return {
    ...allowed,
    filter: allConditions(allowed.filter, now.filter),
    sources: {
      tables: allowed.sources.tables && now.sources.tables,
      graph: allowed.sources.graph && now.sources.graph,
      // An empty list allows every page, so two lists with nothing in common turn the web off.
      web: allowed.sources.web && now.sources.web && allow !== undefined,
    },
    web: {
      ...allowed.web,
      approve: allowed.web.approve || now.web.approve,
      pages: Math.min(allowed.web.pages, now.web.pages),
      allow: allow ?? allowed.web.allow,
      deny: [...new Set([...allowed.web.deny, ...now.web.deny])],
    },
    budget: {
      rounds: Math.min(mostRounds(allowed), mostRounds(now)),
      calls: Math.min(mostCalls(allowed), mostCalls(now)),
      tokens: Math.min(allowed.budget.tokens, tokens),
      seconds: Math.min(allowed.budget.seconds, seconds),
      steps: Math.min(allowed.budget.steps, steps),
    },
  };
}

/** The conditions of both, each once. */
const allConditions = (...filters: Context["filter"][]): Context["filter"] => [
  ...new Map(filters.flat().map((condition) => [JSON.stringify(condition), condition])).values(),
];

/** The domains that lie within both lists; an empty list stands for all domains. Undefined if no domain does. */
function commonDomains(some: readonly string[], others: readonly string[]): string[] | undefined {
  if (some.length === 0 || others.length === 0) return [...some, ...others];
  const within = (names: readonly string[], wider: readonly string[]) =>
    names.filter((name) => wider.some((domain) => liesWithin(name, domain)));
  const common = new Set([...within(some, others), ...within(others, some)]);
  return common.size > 0 ? [...common] : undefined;
}

/**
 * True if a call starts again from an earlier step of its thread (a fork) instead of answering what the run waits for.
 * LangGraph marks a fork by this internal name. If it stops doing so, a fork can only narrow.
 */
const isFork = (config: Config | undefined) => config?.configurable?.__pregel_replay_state !== undefined;

/**
 * True in the first step of a fork without new input. This too reads an internal name of LangGraph, which is set for
 * that step only. If LangGraph stops setting it, a fork right before an answer gives the same answer again.
 */
export const beginsFork = (config: Config) => isFork(config) && config.configurable?.__pregel_resuming === true;

/**
 * Limits the context to the sources that exist and to the caller's recursion limit.
 * @param stepsMore the number of added nodes, all of which may lie between the last steps.
 */
export const limitedBy =
  ({ tables, graph, web }: Context["sources"], stepsMore = 0) =>
  (context: Context, config: Config): Context => {
    const { sources: allowed } = context;
    const sources = {
      tables: tables && allowed.tables,
      graph: graph && allowed.graph,
      web: web && allowed.web,
    };
    // The recursion limit is a hard stop that answers nothing, so the budget's softer one ends the run first.
    const most = (config.recursionLimit ?? Number.POSITIVE_INFINITY) - STEPS_TO_FINISH - stepsMore;
    return { ...context, sources, budget: { ...context.budget, steps: Math.min(context.budget.steps, most) } };
  };

/**
 * The last step that finds the budget unspent may still be followed by rewriteQuery, retrieve, grade, generate,
 * checkAnswer and respond.
 */
const STEPS_TO_FINISH = 6;
