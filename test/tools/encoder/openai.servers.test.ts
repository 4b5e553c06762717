import { embeddingsContract } from "../../../src/testing/embeddings-contract.js";
import { openaiEmbeddings } from "../../../src/tools/encoder/embeddings.js";
import { keeps } from "../../contract/keeps.js";

keeps(
  "A real model behind an endpoint",
  embeddingsContract(async () =>
    openaiEmbeddings({ model: "embed", baseURL: process.env.EMEND_TEST_EMBEDDINGS_URL ?? "" }),
  ),
);
