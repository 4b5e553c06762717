import { afterAll, beforeAll, describe } from "vitest";
import { modelReasoners } from "../../../../src/tools/reasoner/model/index.js";
import { openaiChat } from "../../../../src/tools/reasoner/model/openai.js";
import { reasonerContract } from "../../../contract/reasoner.js";
import { fakeServer } from "./fake-server.js";
import { ableModel } from "./replies.js";

describe("over the wire", () => {
  let server: Awaited<ReturnType<typeof fakeServer>>;
  beforeAll(async () => {
    server = await fakeServer(ableModel);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  reasonerContract("an able model", async () =>
    modelReasoners({ chat: openaiChat({ model: "able", baseURL: server.baseURL }) }),
  );
});

/** A real model's endpoint, such as http://127.0.0.1:8090/v1; what it says may be wrong, but not out of shape. */
const url = process.env.EMEND_TEST_CHAT_URL;

describe.skipIf(!url)("with a real model", () => {
  const chat = openaiChat({ model: process.env.EMEND_TEST_CHAT_MODEL ?? "chat-small", ...(url && { baseURL: url }) });
  reasonerContract("a real model", async () => modelReasoners({ chat }), { mayFail: true, timeoutMs: 120_000 });
});
