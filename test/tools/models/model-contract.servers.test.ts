import { openaiChat } from "../../../src/tools/models/chat-openai.js";
import { modelReasoners } from "../../../src/tools/models/model-reasoners.js";
import { reasonerContract } from "../../contract/reasoner.js";

/** What a real model says may be wrong, but not out of shape. */
const chat = openaiChat({
  model: process.env.EMEND_TEST_CHAT_MODEL ?? "chat-small",
  baseURL: process.env.EMEND_TEST_CHAT_URL ?? "",
  // A small model may repeat itself to the end of its context: half of a test's time, so that a repair fits too.
  timeoutMs: 50_000,
});
reasonerContract("a real model", async () => modelReasoners({ chat }), { mayFail: true, timeoutMs: 120_000 });
