// A process that fails in the way that the query names, in the place of query-child.ts.
import type { FromChild, ToChild } from "../../../src/tools/tables/query-child.js";

const say = (reply: FromChild) => process.send?.(reply);

process.on("message", (message: ToChild) => {
  if (typeof message !== "object" || !("sql" in message)) return;
  if (message.sql === "exit") process.exit(3);
  if (message.sql === "kill") process.kill(process.pid, "SIGKILL");
  if (message.sql === "answer") say({ result: { columns: ["n"], rows: [[1]], isCut: false } });
  if (message.sql === "answer") process.kill(process.pid, "SIGKILL");
  if (message.sql === "hang") say("running");
});
setInterval(() => {}, 1_000);
