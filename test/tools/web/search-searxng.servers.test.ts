import { webSearchContract } from "../../../src/testing/web-search-contract.js";
import { searxng } from "../../../src/tools/web/search-engines.js";
import { keeps } from "../../contract/keeps.js";

const baseURL = process.env.EMEND_TEST_SEARXNG_URL ?? "";

keeps(
  "A real searx",
  webSearchContract("police report", async () => searxng({ baseURL })),
);
