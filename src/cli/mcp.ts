import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { asking } from "../server/asking.js";
import { collectionsIn } from "../server/collections.js";
import { mcpServer } from "../server/mcp.js";
import { meters } from "../server/metrics.js";
import { openAgent, warnOfFault } from "./ask.js";
import { aboutDocuments } from "./collections.js";
import { settingsOf } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { warn } from "./screen.js";

/** `emend mcp`: serves one MCP client on stdin and stdout until it hangs up. */
export const mcpCommand: CommandRun = async (_words, options, signal) => {
  const { collections, ...about } = await aboutDocuments(settingsOf(options));
  const agent = await openAgent(options, { onFault: warnOfFault });
  try {
    const server = mcpServer(
      agent,
      asking(agent, meters(), {}, ({ message }) => warn(message)),
      { about, shown: collectionsIn(collections), site: settingsOf(options).url },
    );
    await server.connect(new StdioServerTransport());
    await Promise.race([once(process.stdin, "close"), once(process.stdin, "end"), once(signal, "abort")]);
    await server.close();
    return EXIT.done;
  } finally {
    await agent.close();
  }
};
