import { Document } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { BaseMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import { z } from "zod";
import type { Agent, AskOptions } from "./agent.js";
import { answerAsMarkdown } from "./answer/compose.js";
import type { AnswerGraph } from "./graph/build.js";
import { check, exactly, part } from "./options.js";
import { Context, type ContextInput } from "./state/context.js";
import type { Embeddings } from "./tools/encoder/port.js";

type Asked = Pick<Agent, "ask">;

/**
 * The agent as a LangChain tool for other agents: takes a question, and returns the answer with its numbered sources
 * and their quotes, or a refusal that says what is missing. The whole Answer is the tool message's artifact.
 */
export function agentTool(agent: Asked, options: { name?: string; description?: string } = {}) {
  check(ToolOptions, { ...options, agent });
  const { name = "ask_documents", description = DESCRIPTION } = options;
  return tool(
    async ({ question }: { question: string }, config?: Caller) => {
      const answer = await agent.ask(question, from(config));
      return [answerAsMarkdown(answer), answer] as const;
    },
    { name, description, schema: QUESTION, responseFormat: "content_and_artifact" },
  );
}

const Asks = exactly({ agent: part<Asked>("ask") });
const ToolOptions = Asks.extend({ name: z.string().min(1).optional(), description: z.string().min(1).optional() });

type Caller = Pick<AskOptions, "signal" | "configurable">;

/** Asks as the caller, so that the caller's scope applies. */
const from = ({ signal, configurable }: Caller = {}): Caller => ({
  ...(signal && { signal }),
  ...(configurable && { configurable }),
});

const DESCRIPTION =
  "Answers a question from the team's documents with checked, cited claims, or says what is missing. Ask one whole question.";
const QUESTION = z.object({ question: z.string().min(1).describe("One whole question, understood by itself.") });

/**
 * The agent as a LangChain retriever of checked evidence: for a question, the verbatim quotes that the claims of its
 * answer rest on, each once, in order. A refused question finds nothing. Throws if the answer is "unavailable", since
 * that is not nothing. Metadata: `source`, `title`, `section`, the
 * `claim`, its `probability` (0 to 1), and `start` and `end` in the text that was retrieved (UTF-16).
 */
export function agentRetriever(agent: Asked): Runnable<string, Document[]> {
  check(Asks, { agent });
  return RunnableLambda.from(async (question: string, config?: Caller) => {
    const { status, text, claims, references } = await agent.ask(question, from(config));
    if (status === "unavailable") throw new Error(text);
    const found = new Map<string, Document>();
    for (const { text: claim, probability, citations } of claims)
      for (const { reference, quote, start, end } of citations) {
        const key = `${reference} ${start} ${end}`;
        const { uri = "", title = "", section = "" } = references.find(({ number }) => number === reference) ?? {};
        const metadata = { source: uri, title, section, claim, probability, start, end };
        if (!found.has(key)) found.set(key, new Document({ pageContent: quote, metadata }));
      }
    return [...found.values()];
  });
}

/**
 * The agent as a node of another graph whose state has `messages`: it answers the newest one of a person, and adds what
 * it says. It
 * waits for a person by an interrupt of the other graph, where that has a checkpointer.
 * @param context the context of its runs; the other graph's own context is ignored.
 */
export function agentNode({ graph }: Pick<Agent, "graph">, context: ContextInput = {}) {
  check(NodeOptions, { graph, context });
  return async ({ messages }: { messages: BaseMessage[] }, config: LangGraphRunnableConfig) => {
    const after = await graph.invoke({ messages }, { ...config, context });
    // By id, not by count: the agent keeps only the newest messages.
    const known = new Set(messages.map(({ id }) => id));
    return { messages: after.messages.filter(({ id }) => !known.has(id)) };
  };
}

const NodeOptions = exactly({ graph: part<AnswerGraph>("invoke"), context: Context });

/**
 * Makes the encoder, or any other `Embeddings`, usable by LangChain's vector stores. The encoder needs no key and no
 * download.
 */
export const asEmbeddings = (embeddings: Embeddings): EmbeddingsInterface => ({
  embedDocuments: (texts) => embeddings.embed(texts, { as: "passage" }),
  embedQuery: async (text) => (await embeddings.embed([text], { as: "question" }))[0] ?? [],
});
