import { afterAll, beforeAll, describe } from "vitest";
import { openaiChat } from "../../../src/tools/models/chat-openai.js";
import { modelReasoners } from "../../../src/tools/models/model-reasoners.js";
import { reasonerContract } from "../../contract/reasoner.js";
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
