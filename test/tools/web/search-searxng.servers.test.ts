import { searxng } from "../../../src/tools/web/search-engines.js";
import { webSearchContract } from "../../contract/web-search.js";

const baseURL = process.env.EMEND_TEST_SEARXNG_URL ?? "";

webSearchContract("A real searx", "police report", async () => searxng({ baseURL }), {});
