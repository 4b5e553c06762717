import { loadSettings } from "../config.js";
import { EmptyStoreError } from "../errors.js";
import { openTools } from "../tools/open.js";
import { EXIT, type Run } from "./run.js";
import { plain, screen } from "./screen.js";

/** `emend list`: every document in the store with the number of its passages. */
export const listCommand: Run = async (_words, { store }) => {
  const out = screen(process.stdout);
  const settings = loadSettings(store === undefined ? {} : { store });
  const { documents, knowledge } = openTools(settings);
  try {
    const all = await documents.list();
    if (all.length === 0) throw new EmptyStoreError(settings.store);
    const width = Math.max(...all.map(({ passages }) => `${passages}`.length));
    const lines = all.map(({ documentId, passages }) => `${`${passages}`.padStart(width)}  ${onOneLine(documentId)}`);
    const passages = all.reduce((sum, document) => sum + document.passages, 0);
    out.write(
      `${lines.join("\n")}\n${counted(all.length, "document")} with ${counted(passages, "passage")} in ${settings.store}.\n`,
    );
    return EXIT.done;
  } finally {
    await documents.close();
    await knowledge?.close();
  }
};

const onOneLine = (text: string) => plain(text).replace(/\s+/g, " ").trim();
const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
