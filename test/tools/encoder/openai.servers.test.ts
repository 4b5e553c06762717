import { openaiEmbeddings } from "../../../src/tools/encoder/openai.js";
import { embeddingsContract } from "../../contract/embeddings.js";

embeddingsContract("A real model behind an endpoint", async () =>
  openaiEmbeddings({ model: "embed", baseURL: process.env.EMEND_TEST_EMBEDDINGS_URL ?? "" }),
);
