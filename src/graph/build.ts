import { type BaseCheckpointSaver, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import { checkAnswer } from "../nodes/check-answer.js";
import { clarify } from "../nodes/clarify.js";
import { generate } from "../nodes/generate.js";
import { grade } from "../nodes/grade.js";
import { queryGraph } from "../nodes/query-graph.js";
import { readPages } from "../nodes/read-pages.js";
import { respond } from "../nodes/respond.js";
import { retrieve } from "../nodes/retrieve.js";
import { rewriteQuery } from "../nodes/rewrite-query.js";
import { searchWeb } from "../nodes/search-web.js";
import { understand } from "../nodes/understand.js";
import type { Filter } from "../types/filter.js";
import { type Context, ContextForm, contextOf, limitedBy } from "./context.js";
import type { Tools } from "./parts.js";
import * as route from "./routes.js";
import { restricted, type ScopeOf, scopeOfUser } from "./scope.js";
import { Input, Output, State } from "./state.js";
import { type Node, step } from "./step.js";
import { traced } from "./traced.js";

/**
 * The whole agent as a compiled LangGraph graph over the parts you bring.
 *
 * Without a checkpointer every run stands alone, and a question that needs clarifying ends with one instead of waiting.
 * A LangGraph server brings its own.
 * @param options.scope what the caller of a run may see. Default: what a LangGraph server's authentication gave the user as
 *   `emend_scope`, or everything.
 */
export function createGraph(
  parts: Tools,
  { checkpointer, scope = scopeOfUser }: { checkpointer?: BaseCheckpointSaver; scope?: ScopeOf } = {},
) {
  const tools = traced(parts);
  const limited = limitedBy(tools);
  const run = (name: string, node: (tools: Tools) => Node, router: Parameters<typeof step>[2]) => {
    const unrestricted = node(tools);
    const nodeFor = (filter: Filter) => (filter.length > 0 ? node(traced(restricted(parts, filter))) : unrestricted);
    return step(name, nodeFor, router, limited, scope);
  };
  /**
   * The router's edges with their labels for the drawn graph. The router is asked again here, not read from the log: a state
   * edited by hand in Studio then takes the edge it calls for.
   */
  const edges = <To extends string>(
    router: (state: State, context: Context) => route.Route<To>,
    labels: Readonly<Record<To, string>>,
  ) =>
    [
      (state: State, config: LangGraphRunnableConfig) =>
        labels[router(state, limited(contextOf(config, state.allowed), asInNode(config))).to],
      Object.fromEntries(Object.entries(labels).map(([to, label]) => [label, to === "END" ? END : to])) as Record<
        string,
        Exclude<To, "END"> | typeof END
      >,
    ] as const;

  return new StateGraph({ state: State, input: Input, output: Output, context: ContextForm })
    .addNode("understand", run("understand", understand, route.afterUnderstand))
    .addNode("retrieve", run("retrieve", retrieve, route.afterRetrieve))
    .addNode("grade", run("grade", grade, route.afterGrade))
    .addNode("queryGraph", run("queryGraph", queryGraph, route.afterQueryGraph))
    .addNode("searchWeb", run("searchWeb", searchWeb, route.afterSearchWeb))
    .addNode("readPages", run("readPages", readPages, route.afterReadPages))
    .addNode("rewriteQuery", run("rewriteQuery", rewriteQuery, route.afterRewrite))
    .addNode("generate", run("generate", generate, route.afterGenerate))
    .addNode("checkAnswer", run("checkAnswer", checkAnswer, route.afterCheck))
    .addNode("clarify", run("clarify", clarify, route.afterClarify))
    .addNode("respond", run("respond", respond, route.afterRespond))

    .addEdge(START, "understand")
    .addConditionalEdges(
      "understand",
      ...edges(route.afterUnderstand, { retrieve: "a question", respond: "small talk" }),
    )
    .addEdge("retrieve", "grade")
    .addConditionalEdges(
      "grade",
      ...edges(route.afterGrade, {
        generate: "it answers",
        retrieve: "too few passages",
        queryGraph: "ask the graph",
        rewriteQuery: "say it differently",
        searchWeb: "ask the web",
        clarify: "ambiguous",
        respond: "nothing answers",
      }),
    )
    .addEdge("queryGraph", "grade")
    .addEdge("searchWeb", "readPages")
    .addEdge("readPages", "grade")
    .addConditionalEdges(
      "rewriteQuery",
      ...edges(route.afterRewrite, {
        retrieve: "new query",
        searchWeb: "no new query",
        generate: "half of it answers",
        respond: "nowhere to look",
      }),
    )
    .addEdge("generate", "checkAnswer")
    .addConditionalEdges(
      "checkAnswer",
      ...edges(route.afterCheck, {
        respond: "supported, or spent",
        generate: "repair",
        queryGraph: "something is open: ask the graph",
        rewriteQuery: "something is open: look again",
        searchWeb: "something is open: ask the web",
        clarify: "ambiguous",
      }),
    )
    .addConditionalEdges(
      "clarify",
      ...edges(route.afterClarify, { understand: "the user said more", respond: "nobody to ask" }),
    )
    .addConditionalEdges("respond", ...edges(route.afterRespond, { END: "answered", understand: "another answer" }))
    .compile({ name: "emend", ...(checkpointer && { checkpointer }) })
    .withConfig({ recursionLimit: RECURSION_LIMIT });
}

/** LangGraph takes an edge for a call one level down, with one step less to go than the node before it has. */
const asInNode = ({ recursionLimit, ...config }: LangGraphRunnableConfig) =>
  recursionLimit === undefined ? config : { ...config, recursionLimit: recursionLimit + 1 };

/** Beyond what any budget allows, so that the budget is what ends a run. A caller's smaller limit is honoured by the budget. */
const RECURSION_LIMIT = 250;
