import { posix } from "node:path";
import type { DocumentHead as Head } from "../tools/documents/port.js";
import { valuesOf } from "../types/metadata.js";
import { dayBefore, type Period, periodOf } from "./asked-time.js";

/** When a document holds, as ISO dates. */
export interface Validity {
  /** Its first day; empty if unknown. */
  from: string;
  /** Its last day; empty if it still holds, or if the first day of its successor is unknown. */
  until: string;
  /** The id of the document that replaces it; empty if there is none. */
  successor: string;
}

/**
 * Works out when documents hold, from what they state (`valid_from`, `valid_until`, `supersedes`) and from their names.
 * Files are versions of one document if they have the same folder and title, and their names differ only in a version
 * or date at the end. Documents without any of this are left out: they always hold.
 */
export function validityOf(heads: readonly Head[]): ReadonlyMap<string, Validity> {
  const all = heads.map((head) => ({ ...head, ...named(head), stated: statedBy(head) }));
  const families = [...Map.groupBy(all, ({ family }) => family)].flatMap(([family, versions]) =>
    family === "" || versions.length === 1 ? [] : [versions.toSorted((a, b) => compare(a.order, b.order))],
  );
  // The date in the name of a version is its first day. In any other name it may be the date of an event.
  const starts = new Map(families.flat().map(({ documentId, date }) => [documentId, date]));
  for (const { documentId, stated } of all) if (stated.from !== "") starts.set(documentId, stated.from);
  const startOf = (id: string) => starts.get(id) ?? "";
  const successors = new Map<string, string>();
  const replace = (older: string, newer: string) => {
    const [before, after] = [startOf(older), startOf(newer)];
    const known = successors.get(older);
    // A document cannot be replaced before it holds, nor by a document that it replaces.
    if (older === newer || (before !== "" && after !== "" && after < before) || leads(newer, older, successors)) return;
    if (known === undefined || (after !== "" && (startOf(known) === "" || after < startOf(known))))
      successors.set(older, newer);
  };
  const byName = Map.groupBy(heads, ({ documentId }) => posix.basename(documentId));
  for (const { documentId, metadata } of all)
    for (const name of valuesOf(metadata, "supersedes")) {
      const older = documentNamed(name, documentId, byName);
      if (older !== undefined) replace(older, documentId);
    }
  for (const versions of families) {
    let newer = 0;
    for (const [i, older] of versions.entries()) {
      while (newer < versions.length && compare(older.order, versions[newer]?.order ?? []) >= 0) newer++;
      const next = versions[newer];
      if (next && newer > i) replace(older.documentId, next.documentId);
    }
  }
  const found = all.map(({ documentId, stated }): [string, Validity] => {
    const successor = successors.get(documentId) ?? "";
    const next = startOf(successor);
    const until = [stated.until, next && dayBefore(next)].filter((day) => day !== "");
    return [documentId, { from: startOf(documentId), until: until.toSorted()[0] ?? "", successor }];
  });
  return new Map(found.filter(([, { from, until, successor }]) => from !== "" || until !== "" || successor !== ""));
}

/** True if a document holds on some day of these periods. A document without a validity always holds. */
export function holdsIn(periods: readonly Period[], validity: Validity | undefined, today: string): boolean {
  if (!validity) return true;
  const { from, successor } = validity;
  const until = validity.until || (successor === "" ? "9999-12-31" : dayBefore(today));
  return periods.some((period) => from <= period.until && until >= period.from);
}

/** Returns the dates that a document states; empty for values that are not dates. */
const statedBy = ({ metadata }: Head) => ({
  from: periodIn(valuesOf(metadata, "valid_from")[0])?.from ?? "",
  until: periodIn(valuesOf(metadata, "valid_until")[0])?.until ?? "",
});

/** Reads a year, a month or a day: 2024, 2024-03, 2024/3/1, 2024年3月1日. */
function periodIn(text = ""): Period | undefined {
  const [, year, month, day] =
    /^(\d{4})(?:[-/.年](?:(\d{1,2})(?:[-/.月](?:(\d{1,2})日?)?)?)?)?(?![\d.-])/.exec(text) ?? [];
  return year === undefined ? undefined : periodOf(year, month, day);
}

/**
 * Reads the version or date at the end of a file's name. Versions of one document share a family: the folder, the name
 * without the version or date, and the title without the version or year. Titles that differ in a month or day, such as
 * those of minutes, belong to different documents.
 */
function named({ documentId, title }: Head): { family: string; order: number[]; date: string } {
  const { dir, name } = posix.parse(documentId);
  const version = VERSION.exec(name);
  const [, number = version?.[2] ?? ""] = version ?? [];
  if (version) {
    const family = JSON.stringify([dir, name.slice(0, version.index), title.replace(VERSIONS, "").trim()]);
    return { family, order: number.split(".").map(Number), date: "" };
  }
  const dated = DATE.exec(name);
  const [, written = ""] = dated ?? [];
  const date = periodIn(written.replaceAll("_", "-"))?.from ?? "";
  if (!dated || date === "") return { family: "", order: [], date: "" };
  const year = date.slice(0, 4);
  const same =
    written === year ? title.replace(new RegExp(`[-_ （(]*${year}\\s*[年版]*[）)]?`, "u"), "").trim() : title;
  return { family: JSON.stringify([dir, name.slice(0, dated.index), same]), order: date.split("-").map(Number), date };
}

/** "handbook-v2", "handbook_v2.1", 员工手册-第2版, 员工手册（第2版） at the end of a name; anywhere in a title. */
const VERSION = /[-_ （(]*(?:(?<![\p{L}\p{N}])v(\d{1,4}(?:\.\d{1,4}){0,3})|第(\d{1,4})版)[）)]?$/iu;
const VERSIONS = /[-_ （(]*(?:\bv(?:ersion ?)?\d{1,4}(?:\.\d{1,4}){0,3}|第\d{1,4}版)[）)]?/giu;
/** "policy-2024", "policy-2024-03", "policy_2024_03_01", 差旅政策2024年3月, 差旅政策（2024版） at the end of a name. */
const DATE =
  /(?:[-_ （(]|(?<=\p{Script=Han}))((?:19|20)\d\d(?:[-_]\d\d(?:[-_]\d\d)?|年\d{1,2}月(?:\d{1,2}日)?)?)年?版?[）)]?$/u;

const compare = (a: readonly number[], b: readonly number[]): number => {
  const at = a.findIndex((part, i) => part !== (b[i] ?? 0));
  return at < 0 ? -Number(b.slice(a.length).some((part) => part > 0)) : (a[at] ?? 0) - (b[at] ?? 0);
};

/** True if a chain of successors leads from one document to another, or is too long to follow. */
function leads(from: string, to: string, successors: ReadonlyMap<string, string>): boolean {
  let id: string | undefined = from;
  for (let steps = 0; id !== undefined && id !== to && steps < MOST_VERSIONS; steps++) id = successors.get(id);
  return id !== undefined;
}

const MOST_VERSIONS = 1_000;

/**
 * Returns the document that another one names: by its relative path, by its id, or by the end of its path if that is
 * unique. A web page can only name pages of its own site, so that no outsider can make a team's own documents invalid.
 */
function documentNamed(
  name: string,
  by: string,
  byName: ReadonlyMap<string, readonly Pick<Head, "documentId">[]>,
): string | undefined {
  const path = name.replaceAll("\\", "/").replace(/^\.\//, "");
  const ids = (byName.get(posix.basename(path)) ?? []).map(({ documentId }) => documentId);
  const allowed = ids.filter((id) => siteOf(by) === "" || siteOf(id) === siteOf(by));
  const beside = posix.join(posix.dirname(by), path);
  const exact = allowed.find((id) => id === beside) ?? allowed.find((id) => id === path);
  const ending = allowed.filter((id) => `/${id}`.endsWith(`/${path}`));
  return exact ?? (ending.length === 1 ? ending[0] : undefined);
}

/** Returns the site of a web page; empty for a file. */
const siteOf = (id: string) => /^[a-z][a-z0-9+.-]+:\/\/[^/]+/i.exec(id)?.[0].toLowerCase() ?? "";
