// One LangChain part of each kind, in and out: node parts.js. With SEARXNG_URL set, the web is searched too.
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { CSVLoader } from "@langchain/community/document_loaders/fs/csv";
import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { SearxngSearch } from "@langchain/community/tools/searxng_search";
import { Document } from "@langchain/core/documents";
import { agentRetriever, agentTool, asEmbeddings, createAgent, ingestDocuments, onnxEncoder } from "emend";

const documents = [
  ["leave.md", "A full-time employee has 25 days of paid leave a year. Unused days lapse at the end of March."],
  ["badges.md", "A lost badge is replaced at the front desk for 15 euros. Bring an identity card."],
  ["徽章.md", "丢失的工牌可在前台补办，每张15欧元。请携带身份证。"],
].map(([source, pageContent]) => new Document({ pageContent, metadata: { source } }));

async function show(name, agent, question) {
  const { text, references } = await agent.ask(question);
  console.log(`${name}: ${text}\n${references.map(({ number, uri }) => `[${number}] ${uri}`).join("\n")}\n`);
}

const encoder = onnxEncoder();
const vectorStore = await MemoryVectorStore.fromDocuments(documents, asEmbeddings(encoder));
const overVectors = createAgent({ retriever: vectorStore });
await show("a vector store", overVectors, "How many days off do I get?");
await show("a vector store, in Chinese", overVectors, "丢失的工牌在哪里补办？");

const apiBase = process.env.SEARXNG_URL;
const searchTool = apiBase && { searchTool: new SearxngSearch({ apiBase }) };
const overWords = createAgent({ retriever: BM25Retriever.fromDocuments(documents, { k: 3 }), ...searchTool });
await show("a retriever", overWords, "What does it cost to replace a lost badge?");
if (searchTool) await show("a search tool", overWords, "When does the ferry to Texel leave?");

const stored = createAgent({ store: process.argv[2] ?? ".emend" });
await ingestDocuments(await new CSVLoader("prices.csv").load(), { documents: stored.tools.documents });
await stored.tools.documents.embed?.();
await show("a loader", stored, "What does a lost key cost?");

const args = { question: "What does it cost to replace a lost badge?" };
const { content } = await agentTool(overVectors).invoke({ type: "tool_call", id: "1", name: "ask_documents", args });
console.log(`a tool: ${content}\n`);
const [evidence] = await agentRetriever(overVectors).invoke("How many days off do I get?");
console.log(`a retriever of evidence: ${evidence?.pageContent} (${evidence?.metadata.source})`);

for (const agent of [overVectors, overWords, stored]) await agent.close();
await encoder.close();
