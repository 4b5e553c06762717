import { testDatabase } from "../postgres.js";
import { casesHold } from "./hold.js";

casesHold("Postgres", async (folder) => (await testDatabase(`cases_${folder.replace(/\W/g, "_")}`)).address);
