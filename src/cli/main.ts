#!/usr/bin/env node
// Imports come after the check: on an older Node.js they would fail with a stack trace instead of a clear message.
try {
  await import("../node-version.js");
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
// Node caches compiled code in the system's temporary folder, which makes later starts a quarter faster.
const { enableCompileCache } = await import("node:module");
// Absent in Deno.
(enableCompileCache as typeof enableCompileCache | undefined)?.();
const { importFaster } = await import("./import-faster.js");
importFaster();
const { emend } = await import("./program.js");
await emend().parseAsync();
