// One LangChain part of each kind, in and out: node parts.js. With SEARXNG_URL set, the web is searched too.
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { SearxngSearch } from "@langchain/community/tools/searxng_search";
import { Document } from "@langchain/core/documents";
import { agentRetriever, agentTool, asEmbeddings, createAgent, ingestDocuments, onnxEncoder } from "emend";

const documents = [
  ["leave.md", "A full-time employee has 25 days of paid leave a year. Unused days lapse at the end of March."],
  ["badges.md", "A lost badge is replaced at the front desk for 15 euros. Bring an identity card."],
  ["徽章.md", "丢失的工牌可在前台补办，每张15欧元。请携带身份证。"],
].map(([source, pageContent]) => new Document({ pageContent, metadata: { source } }));

const encoder = onnxEncoder();
const vectorStore = await MemoryVectorStore.fromDocuments(documents, asEmbeddings(encoder));
const apiBase = process.env.SEARXNG_URL;
const searchTool = apiBase && { searchTool: new SearxngSearch({ apiBase }) };

async function show(name, agent, question) {
  const { text, references } = await agent.ask(question);
  console.log(`${name}: ${text}\n${references.map(({ number, uri }) => `[${number}] ${uri}`).join("\n")}\n`);
}

const overVectors = createAgent({ retriever: vectorStore, ...searchTool });
await show("a vector store", overVectors, "How many days off do I get?");

const overWords = createAgent({ retriever: BM25Retriever.fromDocuments(documents, { k: 3 }) });
await show("a retriever", overWords, "What does it cost to replace a lost badge?");

const stored = createAgent({ store: process.argv[2] ?? ".emend" });
await ingestDocuments(documents, { documents: stored.tools.documents });
await stored.tools.documents.embed?.();
await show("documents in a store", stored, "补办工牌要多少钱？");

const message = { type: "tool_call", id: "1", name: "ask_documents", args: { question: "What does it cost to replace a lost badge?" } };
console.log(`a tool: ${(await agentTool(overVectors).invoke(message)).content}\n`);
const [evidence] = await agentRetriever(overVectors).invoke("How many days off do I get?");
console.log(`a retriever of evidence: ${evidence?.pageContent} (${evidence?.metadata.source})`);

for (const agent of [overVectors, overWords, stored]) await agent.close();
await encoder.close();
