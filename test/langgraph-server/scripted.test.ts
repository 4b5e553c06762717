import { afterAll } from "vitest";
import { askTests } from "./ask.js";
import { chatTests } from "./chat.js";
import { startedServer } from "./start.js";
import { studioTests } from "./studio.js";
import { threadsTests } from "./threads.js";

/** Tests of the graphs of graphs/scripted.ts, over one server, since its start takes seconds. */
const names = ["plain", "talkative", "insatiable", "unclear", "halfway", "patient"];
const server = await startedServer(
  Object.fromEntries(names.map((name) => [name, `test/langgraph-server/graphs/scripted.ts:${name}`])),
);
afterAll(() => server.stop());

for (const tests of [askTests, chatTests, threadsTests, studioTests]) tests(server);
