import { RunnableLambda } from "@langchain/core/runnables";
import type { Tools } from "./parts.js";

/** Makes each call of a part a named run in LangChain's tracing (LangSmith, OpenTelemetry), below the node that makes it. */
export function traced(tools: Tools): Tools {
  const { documents, checker, reranker, knowledge, webSearch, pageReader, cypherWriter } = tools;
  return {
    ...tools,
    documents: named(documents, { search: "search documents", neighbours: "read neighbouring passages" }),
    grader: named(tools.grader, { grade: "grade evidence" }),
    rewriter: named(tools.rewriter, { standalone: "make the question stand alone", rewrite: "write a new query" }),
    generator: named(tools.generator, { generate: "generate claims" }),
    ...(checker && { checker: named(checker, { check: "check claims" }) }),
    ...(reranker && { reranker: named(reranker, { rank: "rank passages" }) }),
    ...(knowledge && { knowledge: named(knowledge, { facts: "look up facts", query: "query the graph" }) }),
    ...(cypherWriter && { cypherWriter: named(cypherWriter, { write: "write a graph query" }) }),
    ...(webSearch && { webSearch: named(webSearch, { search: "search the web" }) }),
    ...(pageReader && { pageReader: named(pageReader, { read: "read a page" }) }),
  };
}

/** A proxy and not a copy, since a part may be an instance of a class; of an empty object, since a part may be frozen. */
function named<Part extends object>(part: Part, names: { [Method in keyof Part]?: string }): Part {
  return new Proxy({} as Part, {
    has: (_, key) => key in part,
    get(_, key) {
      const value: unknown = Reflect.get(part, key);
      if (typeof value !== "function") return value;
      const runName = names[key as keyof Part];
      if (!runName) return value.bind(part);
      // The run records the first argument: a query, a task, an address. The others hold signals and callbacks.
      return (...args: readonly unknown[]) =>
        RunnableLambda.from<unknown, unknown>(() => value.apply(part, args)).invoke(args[0], { runName });
    },
  });
}
