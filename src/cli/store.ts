import { EmptyStoreError, UsageError } from "../errors.js";
import { documentsFrom } from "../ingest/find.js";
import { removeSources } from "../ingest/sources.js";
import { validityOf } from "../reading/validity.js";
import { passageIds } from "../tools/documents/document-id.js";
import { storeName } from "../tools/store/settings.js";
import { valuesOf } from "../types/metadata.js";
import { folderOfIds, settingsOf, usingDatabase, usingTools } from "./open.js";
import { progress, warnOnceOfWait } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, stripControls, validInWords, withCount } from "./screen.js";

/** `emend list`: lists the documents in the store with their numbers of passages. */
export const listCommand: CommandRun = async (_words, options) => {
  const settings = settingsOf(options);
  await using tools = await usingTools(settings);
  const all = await tools.documents.list();
  if (all.length === 0) throw new EmptyStoreError(storeName(settings));
  if (options.json) {
    process.stdout.write(`${escapedJson({ documents: all })}\n`);
    return EXIT.done;
  }
  const lines = columns(
    all.map(({ documentId, passages }) => [`${passages}`, oneLine(documentId)]),
    "r",
  );
  const passages = all.reduce((sum, document) => sum + document.passages, 0);
  const sum = `${withCount(all.length, "document")} with ${withCount(passages, "passage")} in ${storeName(settings)}.`;
  process.stdout.write(`${[...lines, sum].join("\n")}\n`);
  return EXIT.done;
};

/** `emend remove`: removes documents from the store by file, folder or page. */
export const removeCommand: CommandRun = async (names, options, signal) => {
  const settings = settingsOf(options);
  using line = progress();
  await using tools = await usingTools(settings, { onWait: warnOnceOfWait(line) });
  const { documents, knowledge } = tools;
  const cwd = folderOfIds(settings);
  const removed = await removeSources(names, { documents, knowledge, signal, cwd, here: process.cwd() });
  const said = `${withCount(removed.documents, "document")} with ${withCount(removed.passages, "passage")} removed from ${storeName(settings)}. The files are left as they are.`;
  process.stdout.write(`${options.json ? escapedJson(removed) : said}\n`);
  return EXIT.done;
};

/** `emend backup`: copies the store into a file, while others read and write. */
export const backupCommand: CommandRun = async ([file = ""], options) => {
  const settings = settingsOf(options);
  await using database = usingDatabase(settings);
  await database.backup(file);
  process.stdout.write(`${storeName(settings)} is copied to ${file}. To use it, put it in a folder as emend.db.\n`);
  return EXIT.done;
};

/** `emend show`: prints the passages of a document as they are stored. */
export const showCommand: CommandRun = async ([name = ""], options) => {
  const settings = settingsOf(options);
  await using tools = await usingTools(settings);
  const { documents } = tools;
  const all = await documents.list();
  if (all.length === 0) throw new EmptyStoreError(storeName(settings));
  const cwd = folderOfIds(settings);
  const documentId = documentNamed(
    name,
    all.map((one) => one.documentId),
    cwd,
  );
  const count = all.find((one) => one.documentId === documentId)?.passages ?? 0;
  const ids = passageIds({ documentId, passages: count });
  const [passages, embedded] = await Promise.all([documents.get(ids), documents.embedded?.(ids)]);
  const hasVector = new Set(embedded);
  const { title = "", uri = "", reviewedAt = "", hash = "", metadata = {} } = passages[0] ?? {};
  const known = validityOf((await documents.heads?.()) ?? passages).get(documentId);
  if (options.json) {
    const each = passages.map(({ id, position, section, language, text }) => ({
      id,
      position,
      section,
      language,
      text,
      embedded: hasVector.has(id),
    }));
    process.stdout.write(
      `${escapedJson({ documentId, title, uri, reviewedAt, hash, metadata, ...(known && { validity: known }), passages: each })}\n`,
    );
    return EXIT.done;
  }
  const { paint } = screen(process.stdout);
  const facts = [
    uri,
    ...(reviewedAt ? [`reviewed ${reviewedAt}`] : []),
    ...(known ? [validInWords(known)] : []),
    `${withCount(count, "passage")}, ${hasVector.size === count ? "all" : hasVector.size} embedded`,
  ];
  const stated = Object.keys(metadata).map((key) => `${key}=${valuesOf(metadata, key).join(", ")}`);
  const parts = passages.map(({ id, position, section, language, text }) => {
    const line = [`#${position}`, section, language, ...(hasVector.has(id) ? [] : ["not embedded"])].filter(Boolean);
    return `${paint("bold", oneLine(line.join(" · ")))}\n${stripControls(text)}`;
  });
  const head = [title, facts.join(" · "), stated.join(" · ")].map(oneLine).filter(Boolean);
  process.stdout.write(`${head.join("\n")}\n\n${parts.join("\n\n")}\n`);
  return EXIT.done;
};

/**
 * Returns the document that a name means: its id, a path, or the end of a path, such as the file's name.
 * @param cwd the folder that ids are relative to.
 * @param here the folder that the name is relative to.
 * @throws UsageError if there is none, or more than one.
 */
export function documentNamed(name: string, ids: readonly string[], cwd: string, here = process.cwd()): string {
  if (name.trim() === "") throw new UsageError("Give a document: its path, or its name.");
  const ending = `/${name.replaceAll("\\", "/").replace(/^\.?\/+/, "")}`.normalize();
  const exact = ids.filter((id) => id === name);
  const from = exact.length > 0 ? exact : documentsFrom(name, ids, cwd, here);
  const meant = from.length > 0 ? from : ids.filter((id) => `/${id}`.normalize().endsWith(ending));
  const [only] = meant;
  if (only === undefined) throw new UsageError(`Nothing in the store comes from ${name}. What is in it: emend list.`);
  if (meant.length === 1) return only;
  const named = meant.slice(0, MAX_NAMED).join(", ");
  const more = meant.length > MAX_NAMED ? ` and ${meant.length - MAX_NAMED} more` : "";
  throw new UsageError(`${name} may be ${withCount(meant.length, "document")}: ${named}${more}. Name one of them.`);
}

const MAX_NAMED = 10;
