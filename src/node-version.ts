// Every entry point imports this first: on an older Node.js another import would fail, with an error that explains
// nothing.
/** The first release of Node.js 22 whose SQLite has full-text search. */
const OLDEST = [22, 16] as const;

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
  throw new Error(
    `emend needs Node.js ${OLDEST.join(".")} or newer, and this is ${node}. Install it from https://nodejs.org and try again.`,
  );
