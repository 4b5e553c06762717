import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlPassesContract } from "../../contract/passes.js";

sqlPassesContract("SQLite", async () => join(await mkdtemp(join(tmpdir(), "emend-passes-")), "store"));
