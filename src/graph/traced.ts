import { Document } from "@langchain/core/documents";
import { RunnableLambda } from "@langchain/core/runnables";
import type { Tools } from "../state/tools.js";
import type { Documents } from "../tools/documents/port.js";
import type { WebSearch } from "../tools/web/port.js";
import { below, listeners, serialized } from "../tracing.js";

/**
 * Traces each call of a tool as a run in LangChain's tracing (LangSmith, Langfuse, OpenTelemetry), below the node that
 * makes it. Searches are traced as retriever runs, with the results as documents.
 */
export function traced(tools: Tools): Tools {
  const { documents, checker, reranker, tables, knowledge, webSearch, pageReader, cypherWriter } = tools;
  return {
    ...tools,
    documents: runs(documents, {
      search: searching("search documents", (passage: Found<Documents>) => {
        const { id, text, title, uri, section, score } = passage;
        return new Document({ id, pageContent: text, metadata: { title, source: uri, section, score } });
      }),
      neighbours: named("read neighbouring passages"),
      find: named("find exact words"),
      open: named("open a document"),
      contents: named("list documents"),
    }),
    grader: runs(tools.grader, { grade: named("grade evidence") }),
    rewriter: runs(tools.rewriter, {
      standalone: named("make the question stand alone"),
      rewrite: named("write a new query"),
    }),
    generator: runs(tools.generator, { generate: named("generate claims") }),
    ...(checker && { checker: runs(checker, { check: named("check claims") }) }),
    ...(reranker && { reranker: runs(reranker, { rank: named("rank passages") }) }),
    ...(tables && { tables: runs(tables, { search: named("find tables"), query: named("query tables") }) }),
    ...(knowledge && {
      knowledge: runs(knowledge, { facts: named("look up facts"), query: named("query the graph") }),
    }),
    ...(cypherWriter && { cypherWriter: runs(cypherWriter, { write: named("write a graph query") }) }),
    ...(webSearch && {
      webSearch: runs(webSearch, {
        search: searching("search the web", ({ url, title, snippet, published }: Found<WebSearch>) => {
          return new Document({ pageContent: snippet, metadata: { title, source: url, published } });
        }),
      }),
    }),
    ...(pageReader && { pageReader: runs(pageReader, { read: named("read a page") }) }),
  };
}

type Found<Part extends { search: (...asked: never[]) => Promise<unknown[]> }> = Awaited<
  ReturnType<Part["search"]>
>[number];

/** Calls a method of a part as a run. */
type Tracing = (call: () => Promise<unknown>, first: unknown) => Promise<unknown>;

/** The run records the first argument: a query, a task, an address. The others hold signals and callbacks. */
const named =
  (runName: string): Tracing =>
  (call, first) =>
    RunnableLambda.from<unknown, unknown>(call).invoke(first, { runName });

const searching =
  <T>(runName: string, asDocument: (found: T) => Document): Tracing =>
  async (call, first) => {
    const { text = "", ...query } = first as { text?: string };
    const manager = listeners({ metadata: query });
    if (!manager) return call();
    const about = [undefined, undefined, undefined, undefined, runName] as const;
    const run = await manager.handleRetrieverStart(serialized("search"), text, ...about);
    try {
      const found = await below(run.getChild(), call);
      await run.handleRetrieverEnd((found as T[]).map(asDocument));
      return found;
    } catch (error) {
      await run.handleRetrieverError(error);
      throw error;
    }
  };

/**
 * A proxy rather than a copy, since a part may be an instance of a class. Its target is an empty object, since a part
 * may be frozen.
 */
function runs<Part extends object>(part: Part, tracings: { [Method in keyof Part]?: Tracing }): Part {
  return new Proxy({} as Part, {
    has: (_, key) => key in part,
    get(_, key) {
      const value: unknown = Reflect.get(part, key);
      if (typeof value !== "function") return value;
      const asRun = tracings[key as keyof Part];
      if (!asRun) return value.bind(part);
      return (...args: readonly unknown[]) => asRun(async () => value.apply(part, args), args[0]);
    },
  });
}
