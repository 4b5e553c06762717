// Any LangChain search tool as the web behind emend: SEARXNG_URL=… node ask.js "Your question?"
import { SearxngSearch } from "@langchain/community/tools/searxng_search";
import { createAgent, langchainSearch } from "emend";

const apiBase = process.env.SEARXNG_URL;
if (!apiBase) throw new Error("Set SEARXNG_URL to the address of a SearXNG instance.");

const agent = createAgent({ tools: { webSearch: langchainSearch(new SearxngSearch({ apiBase })) } });
const answer = await agent.ask(process.argv[2] ?? "Who invented the World Wide Web?");
console.log(answer.text);
for (const { number, uri } of answer.references) console.log(`[${number}] ${uri}`);
await agent.close();
