import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { togetherContract } from "../../contract/together.js";

const newPlace = async () => join(await mkdtemp(join(tmpdir(), "emend-store-")), "store");

togetherContract("SQLite", newPlace);
