// The doors of the package import this first: in an older Node.js something else would fail, with an error that explains nothing.
/** The first of its line whose SQLite has full-text search. */
const OLDEST = [22, 16] as const;

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);
if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
  throw new Error(
    `emend needs Node.js ${OLDEST.join(".")} or newer, and this is ${node}. Install it from https://nodejs.org and try again.`,
  );
