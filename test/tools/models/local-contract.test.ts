import { reasonersContract } from "../../../src/testing/reasoners-contract.js";
import { localReasoners } from "../../../src/tools/models/local-reasoners.js";
import { keeps } from "../../contract/keeps.js";

keeps(
  "the local form",
  reasonersContract(async () => localReasoners()),
);
