// An MCP client of `emend serve`: node mcp.ts http://127.0.0.1:8787/mcp "When does the Lisbon office open?"
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address = "", question = ""] = process.argv.slice(2);
const client = new Client({ name: "recipe", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(address)));
const { structuredContent, content } = await client.callTool({ name: "ask", arguments: { question } });
console.log(JSON.stringify(structuredContent ?? content).slice(0, 300));
await client.close();
