import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { withShortReplies } from "../../src/prompting/trial.js";
import { reasonersContract } from "../../src/testing/reasoners-contract.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import { keeps } from "../contract/keeps.js";

/** The content of a real model's replies may be wrong, but not their form. A small model rambles, so they are cut short. */
const chat = withShortReplies(
  openaiChat({
    model: process.env.EMEND_TEST_CHAT_MODEL ?? "chat-small",
    baseURL: process.env.EMEND_TEST_CHAT_URL ?? "",
    // A small model may repeat itself to the end of its context. Half of the test's time leaves room for a repair.
    timeoutMs: 50_000,
  }),
);
keeps(
  "a real model",
  reasonersContract(async () => modelReasoners({ chat }), { mayFail: true }),
  120_000,
);
