import { localReasoners } from "../../../../src/tools/reasoner/local/index.js";
import { reasonerContract } from "../../../contract/reasoner.js";

reasonerContract("the local form", async () => localReasoners());
