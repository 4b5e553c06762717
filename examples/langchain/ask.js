// Your files in a vector store, read by your chat model: node ask.js "Who decides about trade fairs?" ../handbook
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { ChatOpenAI } from "@langchain/openai";
import { asEmbeddings, chunk, createAgent, loadFiles, onnxEncoder } from "emend";

const [question, ...paths] = process.argv.slice(2);
const encoder = onnxEncoder();
const vectorStore = new MemoryVectorStore(asEmbeddings(encoder));
const { documents, failures } = await loadFiles(paths);
for (const { path, reason } of failures) console.error(`${path}: ${reason}`);
const passages = documents.flatMap(chunk);
await vectorStore.addDocuments(
  passages.map(({ text, uri, title, section }) => ({ pageContent: text, metadata: { source: uri, title, section } })),
);

// Takes its address and key from OPENAI_BASE_URL and OPENAI_API_KEY.
const model = new ChatOpenAI({ model: process.env.EMEND_MODEL });
const agent = createAgent({ model, retriever: vectorStore });
const { text, references } = await agent.ask(question);
console.log(text);
for (const { number, uri, section } of references) console.log(`[${number}] ${uri} ${section}`);

await agent.close();
await encoder.close();
