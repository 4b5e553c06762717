#!/usr/bin/env node
// Imports come after the check: on an older Node.js they would fail with a stack trace instead of a clear message.
const OLDEST = [22, 13];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  // Node caches compiled code in the system's temporary folder, which makes later starts a quarter faster.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  const { emend } = await import("./program.js");
  await emend().parseAsync();
} else {
  process.stderr.write(
    `emend: needs Node.js ${OLDEST.join(".")} or newer, and this is ${process.versions.node}. Install it from https://nodejs.org and try again.\n`,
  );
  process.exitCode = 1;
}
