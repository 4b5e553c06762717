import { EmptyStoreError } from "../errors.js";
import { type Care, type CareNeeded, checkDocuments } from "../ingest/check-documents.js";
import { timeOf } from "../reading/asked-time.js";
import { holdingIn } from "../reading/holding.js";
import { storeName } from "../tools/store/settings.js";
import { folderOfIds, settingsOf, usingTools } from "./open.js";
import { daysAgo } from "./options.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, warn, withCount } from "./screen.js";

/** `emend check`: finds the documents that need care. */
export const checkCommand: CommandRun = async (_words, options, signal) => {
  const settings = settingsOf(options);
  using line = progress();
  await using tools = await usingTools(settings);
  const { documents, encoder, knowledge } = tools;
  // A graph that is down hides only its own findings.
  const sources = (await knowledge?.sources().catch((error: Error) => warn(error.message))) ?? [];
  if ((await documents.isEmpty()) && sources.length === 0) throw new EmptyStoreError(storeName(settings));
  const found = await checkDocuments({
    documents,
    cwd: folderOfIds(settings),
    staleBefore: daysAgo(options.olderThan ?? YEAR)
      .toISOString()
      .slice(0, "2026-01-31".length),
    holds: await holdingIn(documents, timeOf(undefined)),
    encoder,
    knowledge: { sources: async () => sources },
    embeds: settings.embeddings !== undefined || encoder !== undefined,
    signal,
    onProgress: (done, total, document) => line.say(`${done}/${total} ${document}`),
  });
  line.stop();
  const findings = found.map((one) => ({ ...one, remedy: REMEDIES[one.kind] }));
  process.stdout.write(options.json ? `${escapedJson({ findings })}\n` : `${inWords(found)}\n`);
  return found.length > 0 ? EXIT.fault : EXIT.done;
};

/** In days. */
const YEAR = 365;

const REMEDIES: Record<Care, string> = {
  stale: "Review it and change its date, or take it out: emend remove <file>",
  duplicate: "Keep one. Take a whole copy out by emend remove <file>; edit a file that repeats a part.",
  contradicting: "Put right what is wrong, or say which one holds: supersedes or validUntil in the front matter.",
  empty: "Write what is missing, recognise the text of a scan (OCR), or delete it.",
  unreadable: "Fix the fault that is named, then: emend ingest <file>",
  changed: "Take it in again: emend ingest <file>",
  damaged: "Store it again: emend remove <file>, then emend ingest <file>. Check the disk.",
  leftover: "Remove what is left of it: emend remove <file>. If its file is still there, then: emend ingest <file>",
  unembedded: "Embed the rest: emend ingest <file>",
  orphaned: "Put it back, or take it out: emend remove <file>",
};

/** Lists what needs care by its kind, with the remedy above. */
function inWords(found: readonly CareNeeded[]): string {
  const { paint } = screen(process.stdout);
  const groups = (Object.keys(REMEDIES) as Care[])
    .map((kind) => ({ kind, rows: found.filter((one) => one.kind === kind) }))
    .filter(({ rows }) => rows.length > 0)
    .map(({ kind, rows }) =>
      [
        `${paint("bold", `${kind} (${rows.length})`)}  ${REMEDIES[kind]}`,
        ...columns(rows.map(({ document, said }) => [`  ${oneLine(document)}`, oneLine(said)])),
      ].join("\n"),
    );
  const needing = new Set(found.map(({ document }) => document)).size;
  const sum = needing === 0 ? "Nothing needs care." : `${withCount(needing, "document needs", "documents need")} care.`;
  return [...groups, sum].join("\n\n");
}
