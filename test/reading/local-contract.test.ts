import { localReasoners } from "../../src/reading/local-reasoners.js";
import { reasonersContract } from "../../src/testing/reasoners-contract.js";
import { keeps } from "../contract/keeps.js";

keeps(
  "the local form",
  reasonersContract(async () => localReasoners()),
);
