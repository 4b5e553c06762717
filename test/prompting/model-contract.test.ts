import { afterAll, beforeAll, describe } from "vitest";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { localRewriter } from "../../src/reading/local-reasoners.js";
import { reasonersContract } from "../../src/testing/reasoners-contract.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import { keeps } from "../contract/keeps.js";
import { fakeServer } from "../tools/chat/fake-server.js";
import { ableModel } from "./replies.js";

describe("over the wire", () => {
  let server: Awaited<ReturnType<typeof fakeServer>>;
  beforeAll(async () => {
    server = await fakeServer(ableModel);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });
  keeps(
    "an able model",
    reasonersContract(async () => {
      const { standalone, ...roles } = modelReasoners({ chat: openaiChat({ model: "able", baseURL: server.baseURL }) });
      return { ...roles, rewriter: { ...localRewriter(), standalone } };
    }),
  );
});
