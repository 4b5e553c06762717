import { RunnableLambda } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type CommandInstance,
  type CompiledGraph,
  END,
  type LangGraphRunnableConfig,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { z } from "zod";
import { checkAnswer } from "../nodes/check-answer.js";
import { clarify } from "../nodes/clarify.js";
import { generate } from "../nodes/generate.js";
import { grade } from "../nodes/grade.js";
import { queryGraph } from "../nodes/query-graph.js";
import { queryTables } from "../nodes/query-tables.js";
import { readPages } from "../nodes/read-pages.js";
import { respond } from "../nodes/respond.js";
import { retrieve } from "../nodes/retrieve.js";
import { rewriteQuery } from "../nodes/rewrite-query.js";
import { searchWeb } from "../nodes/search-web.js";
import { understand } from "../nodes/understand.js";
import { openTelemetry } from "../open-telemetry.js";
import { aFunction, check, exactly, type OptionsOf } from "../options.js";
import { type Context, type ContextInput, ContextShown, contextOf, limitedBy } from "../state/context.js";
import {
  type Added,
  type Fields,
  type GraphInput,
  type GraphOutput,
  Input,
  type NoFields,
  type State,
  type StateWith,
  stateWith,
} from "../state/state.js";
import { type Tools, toolOptions } from "../state/tools.js";
import { aCheckpointer } from "../tools/threads/port.js";
import type { Filter } from "../types/filter.js";
import { type Additions, additionOptions, type Edges, extended, type NodeOf } from "./extend.js";
import * as route from "./routes.js";
import { restricted, type ScopeOf, scopeFrom } from "./scope.js";
import { type OnFault, step } from "./step.js";
import { traced } from "./traced.js";
import { naming } from "./update.js";

/** The nodes, in the usual order of the steps. */
const NODES = {
  understand,
  retrieve,
  grade,
  queryTables,
  queryGraph,
  searchWeb,
  readPages,
  rewriteQuery,
  generate,
  checkAnswer,
  clarify,
  respond,
} satisfies Record<string, NodeOf>;
export type NodeName = keyof typeof NODES;

/** The nodes of the sources that may be off. */
const SOURCES = { tables: ["queryTables"], graph: ["queryGraph"], web: ["searchWeb", "readPages"] } satisfies Record<
  string,
  NodeName[]
>;

/** What may come after each node, with the labels of the drawn graph. */
function edgesWith(rungs: readonly route.Rung[]): Record<NodeName, Edges> {
  const own: Record<string, string> = Object.fromEntries(rungs.map(({ to, label }) => [to, label]));
  const ask = Object.fromEntries(rungs.map(({ to, label }) => [to, `something is open: ${label}`]));
  return {
    understand: edges(route.afterUnderstand, { retrieve: "a question", respond: "small talk" }),
    retrieve: edges(route.afterRetrieve, { grade: "" }),
    grade: edges((state, context) => route.afterGrade(state, context, rungs), {
      generate: "to read",
      retrieve: "too few passages",
      queryTables: "count or calculate",
      queryGraph: "ask the graph",
      rewriteQuery: "say it differently",
      searchWeb: "ask the web",
      clarify: "ambiguous",
      respond: "nothing answers",
      ...own,
    }),
    queryTables: edges(route.afterQueryTables, { grade: "" }),
    queryGraph: edges(route.afterQueryGraph, { grade: "" }),
    searchWeb: edges(route.afterSearchWeb, { readPages: "" }),
    readPages: edges(route.afterReadPages, { grade: "" }),
    rewriteQuery: edges((state, context) => route.afterRewrite(state, context, rungs), {
      retrieve: "new query",
      searchWeb: "no new query",
      generate: "no new query, but a partial answer",
      respond: "no source is left",
      ...own,
    }),
    generate: edges(route.afterGenerate, {
      checkAnswer: "a draft",
      retrieve: "more to look up",
      queryTables: "more to look up: tables",
      queryGraph: "more to look up: the graph",
      searchWeb: "more to look up: the web",
    }),
    checkAnswer: edges((state, context) => route.afterCheck(state, context, rungs), {
      respond: "supported, or spent",
      generate: "repair",
      queryGraph: "something is open: ask the graph",
      rewriteQuery: "something is open: look again",
      searchWeb: "something is open: ask the web",
      clarify: "ambiguous",
      ...ask,
    }),
    clarify: edges(route.afterClarify, {
      understand: "the user said more",
      respond: "nobody to ask",
    }),
    respond: edges(route.afterRespond, { END: "answered", understand: "another answer" }),
  };
}

/** Makes the compiler require a label for each edge that a router may take. */
const edges = <To extends string>(
  router: (state: State, context: Context) => route.Route<To>,
  labels: Readonly<Record<To, string>>,
): Edges => ({ router, labels });

export interface GraphOptions<Own extends Fields = NoFields> extends Additions<NodeName, Own> {
  /**
   * What the caller of a run may see, within the user's own `emend_scope` if there is one. Default: that scope alone, or
   * everything if no user is named. A LangGraph server's authentication names the user.
   */
  scope?: ScopeOf;
  /**
   * Called once for each part that fails in a run, with what the answer tells of it, and with the error itself, which may
   * hold secrets. What it throws is ignored.
   */
  onFault?: OnFault;
  /**
   * The name of the graph and of the messages it writes, by which other agents tell them apart: at most 64 letters, digits,
   * `_` and `-`. Default: emend.
   */
  name?: string;
}

/** The options of a graph as schemas. */
export const graphOptions = exactly({
  ...additionOptions,
  // `scopeFrom` reads it.
  scope: z.unknown(),
  onFault: aFunction,
  name: z.string().regex(/^[\w-]{1,64}$/, { error: "must be 1 to 64 letters, digits, _ or -" }),
} satisfies OptionsOf<GraphOptions>).partial();
const Compiled = graphOptions.extend({ checkpointer: aCheckpointer.optional() });
const Parts = exactly(toolOptions);

/** The compiled graph. Every field of its input and of its context may be left out. */
export type AnswerGraph<Own extends Fields = NoFields> = CompiledGraph<
  string,
  StateWith<Own>,
  Partial<StateWith<Own>>,
  ContextInput,
  GraphInput,
  GraphOutput & Added<Own>,
  Record<string, Partial<StateWith<Own>>>,
  CommandInstance<unknown, Partial<StateWith<Own>>, string>
>;

/** The graph before it is compiled. */
export type OpenGraph<Own extends Fields = NoFields> = {
  compile(options?: Parameters<Drawn["compile"]>[0]): AnswerGraph<Own>;
} & Drawn;
type Drawn = ReturnType<typeof drawn>;

/**
 * The whole agent as an uncompiled LangGraph graph over your tools, with the nodes, edges and state that you add. Nodes
 * of sources without a tool are left out.
 * @throws UsageError for an unknown option or an invalid addition: a name that is taken, or an edge that leads nowhere.
 */
export function buildGraph<Own extends Fields = NoFields>(
  parts: Tools,
  options: GraphOptions<Own> = {},
): OpenGraph<Own> {
  const graph = drawn(parts, options as unknown as GraphOptions);
  const compile = graph.compile.bind(graph);
  graph.compile = (...given) => naming(compile(...given), Object.keys(graph.channels));
  // The casts are safe: the state has the added fields, and its schemas give their types.
  return graph as unknown as OpenGraph<Own>;
}

function drawn(parts: Tools, options: GraphOptions) {
  check(Parts, parts);
  check(graphOptions, options);
  const { name: agent = NAME, nodes: given = {}, rungs = {}, before = {}, after = {} } = options;
  const scope = scopeFrom(options);
  const tools = traced(parts);
  const has = {
    tables: tools.tables !== undefined || "queryTables" in given,
    graph: tools.knowledge !== undefined || "queryGraph" in given,
    web:
      (tools.webSearch !== undefined || "searchWeb" in given) &&
      (tools.pageReader !== undefined || "readPages" in given),
  };
  const off = [
    ...(has.tables ? [] : SOURCES.tables),
    ...(has.graph ? [] : SOURCES.graph),
    ...(has.web ? [] : SOURCES.web),
  ];
  const ladder = Object.entries(rungs).map(([to, rung]) => ({ ...rung, to }));
  const nodes = new Map<string, NodeOf>(Object.entries(NODES).filter(([name]) => !(off as string[]).includes(name)));
  const plan = extended({ nodes, edges: new Map(Object.entries(edgesWith(ladder))) }, options, off);
  const between = [...Object.values(before), ...Object.values(after)].flatMap((chain) => Object.keys(chain ?? {}));
  const limited = limitedBy(has, between.length);
  const { State, Output, initial } = stateWith(options.state ?? {});

  /**
   * The router is asked again here, not read from the log, so that a state edited in Studio takes the edge that fits
   * it.
   */
  const conditional = (from: string, { router, labels }: Edges) => {
    const path = RunnableLambda.from<State, string, LangGraphRunnableConfig>(
      (state, config) => labels[router(state, limited(contextOf(config, state.allowed), asInNode(config))).to] ?? "",
    );
    // Its name in tracing.
    path.name = `after ${from}`;
    return [path, Object.fromEntries(Object.entries(labels).map(([to, label]) => [label, target(to)]))] as const;
  };

  const graph: StateGraph<
    typeof State,
    State,
    Partial<State>,
    string,
    typeof Input,
    typeof Output,
    typeof ContextShown
  > = new StateGraph({ state: State, input: Input, output: Output, context: ContextShown });
  for (const [name, node] of plan.nodes) {
    const begun = name === "understand" ? beginningWith(initial, node) : node;
    const unrestricted = begun(tools);
    const nodeFor = (filter: Filter) => (filter.length > 0 ? begun(traced(restricted(parts, filter))) : unrestricted);
    const { router } = plan.edges.get(name) as Edges;
    graph.addNode(name, step(name, nodeFor, router, limited, scope, agent, options.onFault));
  }
  graph.addEdge(START, "understand");
  for (const name of plan.nodes.keys()) {
    const edges = plan.edges.get(name) as Edges;
    const [[to, label] = ["", ""], ...more] = Object.entries(edges.labels);
    if (label === "" && more.length === 0) graph.addEdge(name, target(to));
    else graph.addConditionalEdges(name, ...conditional(name, edges));
  }
  return graph;
}

/**
 * The compiled graph.
 *
 * Without a checkpointer every run stands alone: if its question needs clarifying, it ends with a question back instead
 * of waiting. A LangGraph server brings its own checkpointer.
 */
export function createGraph<Own extends Fields = NoFields>(
  parts: Tools,
  given: GraphOptions<Own> & { checkpointer?: BaseCheckpointSaver } = {},
): AnswerGraph<Own> {
  check(Compiled, given);
  const { checkpointer, ...options } = given;
  const graph = buildGraph<Own>(parts, options as GraphOptions<Own>);
  const compiled = graph
    .compile({ name: options.name ?? NAME, ...(checkpointer && { checkpointer }) })
    .withConfig({ recursionLimit: RECURSION_LIMIT, callbacks: openTelemetry() });
  // `withConfig` returns a new graph.
  return naming(compiled, Object.keys(graph.channels));
}

const NAME = "emend";

const target = (to: string) => (to === "END" ? END : to);

/** Sets the added fields to their initial values when a question begins. */
const beginningWith =
  (initial: Record<string, unknown>, node: NodeOf): NodeOf =>
  (tools) => {
    const bound = node(tools);
    return async (state, run) => ({ ...initial, ...(await bound(state, run)) });
  };

/** LangGraph treats an edge as a call one level down, with a recursion limit one lower than that of its node. */
const asInNode = ({ recursionLimit, ...config }: LangGraphRunnableConfig) =>
  recursionLimit === undefined ? config : { ...config, recursionLimit: recursionLimit + 1 };

/** More than any budget allows, so that the budget ends a run. A smaller limit of the caller lowers the budget. */
const RECURSION_LIMIT = 250;
