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
