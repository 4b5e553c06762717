import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sqlUploadsContract } from "../../contract/uploads.js";

sqlUploadsContract("SQLite", async () => join(await mkdtemp(join(tmpdir(), "emend-uploads-")), "store"));
