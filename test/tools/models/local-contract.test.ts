import { localReasoners } from "../../../src/tools/models/local-reasoners.js";
import { reasonerContract } from "../../contract/reasoner.js";

reasonerContract("the local form", async () => localReasoners());
