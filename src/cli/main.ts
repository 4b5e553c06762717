#!/usr/bin/env node
// Nothing is imported before the check: an older Node.js would fail on what is imported, with a stack instead of a sentence.
const OLDEST = [22, 13];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) {
  // Node keeps what it compiled in the system's folder for temporary files: the second command starts a quarter sooner.
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
