import { fakePassage } from "../../../src/testing/index.js";
import { sqlDocuments } from "../../../src/tools/documents/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";

/** A separate program that writes documents of three passages, one after another, and prints a line for each. */
const [path = "", name = "", count = "0"] = process.argv.slice(2);
const documents = sqlDocuments(openDatabase(path));
for (let n = 0; n < Number(count); n++) {
  const documentId = `${name}-${n}`;
  await documents.upsert(
    [0, 1, 2].map((position) =>
      fakePassage(`${documentId}#${position}`, `written by ${name} 第${n}份`, { documentId, position }),
    ),
  );
  process.stdout.write(`${documentId}\n`);
}
await documents.close();
