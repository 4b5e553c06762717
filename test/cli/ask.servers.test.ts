import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Answer } from "../../src/types/answer.js";
import { folder, OFFICES } from "./emend.js";

const SETTINGS = {
  EMEND_MODEL: process.env.EMEND_TEST_CHAT_MODEL ?? "chat-small",
  OPENAI_BASE_URL: process.env.EMEND_TEST_CHAT_URL ?? "",
  // The encoder is part of the usual run: without it the model would grade too.
  EMEND_ENCODER: "",
  EMEND_EMBEDDINGS_MODEL: "embed",
  EMEND_EMBEDDINGS_BASE_URL: process.env.EMEND_TEST_EMBEDDINGS_URL ?? "",
};

let here: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  here = await folder(OFFICES);
  expect(await here.run(["ingest", "docs"], SETTINGS)).toMatchObject({ code: 0, stderr: "" });
});
afterAll(() => here[Symbol.asyncDispose]());

test.each(["When does the Lisbon office open?", "上海办公室几点开门？"])(
  "%s: every quote in an answer of a real model is found in its document",
  async (question) => {
    const { code, stdout } = await here.run(["ask", question, "--json"], SETTINGS);
    const answer = Answer.parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(answer.claims.length).toBeGreaterThan(0);
    expect(answer.spend.calls).toBeGreaterThan(0);
    for (const { quote, reference } of answer.claims.flatMap(({ citations }) => citations)) {
      const { uri = "" } = answer.references.find(({ number }) => number === reference) ?? {};
      expect(await readFile(join(here.path, uri), "utf8")).toContain(quote);
    }
  },
);
