import { createAgent } from "../../../src/agent.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import { sqlThreads } from "../../../src/tools/threads/sql.js";

// A separate program that asks in a thread. In the thread "hangs" its model never answers, and it prints a line then.

const [place = "", threadId = ""] = process.argv.slice(2);
const tools = fakeTools({ passages: [fakePassage("leave", "Staff have 28 days of paid leave.")] });
const generator: typeof tools.generator = {
  ...tools.generator,
  generate: () => {
    process.send?.("hangs");
    return new Promise(() => setInterval(() => {}, 1000));
  },
};
const checkpointer = sqlThreads(openDatabase(place), { steps: 100 });
const agent = createAgent({ tools: { ...tools, ...(threadId === "hangs" && { generator }) }, checkpointer });
for (let i = 0; i < 4; i++) await agent.ask(`How many days of paid leave do staff have? ${i}`, { threadId });
await checkpointer.close();
process.disconnect?.();
