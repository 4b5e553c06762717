import { chineseNames, SURNAME } from "../facts/chinese-names.js";
import { isWithinLimits } from "../facts/limits.js";
import { mentions, names } from "../facts/names.js";
import { type Quantity, quantities } from "../facts/numbers.js";
import { isInRange, stated } from "../facts/stated.js";
import { outlineOf } from "../text/outline.js";
import { cells } from "../text/tables.js";
import { plain } from "../text/tokens.js";
import { namesIn } from "../tools/knowledge/names.js";
import type { Unit } from "./units.js";

/**
 * Finds the rows of tables that are about something other than the question. A row says nothing about what another row
 * names, although both are in one passage: a row about Firmware does not name the lead of Procurement. A table of two models
 * says nothing about a third one of the same series.
 * @returns a function that gives the shares of the question's names and amounts that a row lacks, 0 to 1; both 0 for
 * text that is not a row.
 */
export function aboutOthers(question: string): (unit: Unit) => { names: number; amounts: number } {
  const named = [...names(question), ...chineseNames(question).map(({ name }) => name)];
  const amounts = quantities(question);
  const known = new Map<object, ReturnType<typeof inTable>>();

  function inTable({ evidence, group, head }: Unit) {
    const { title, section, text } = evidence;
    const rows = outlineOf(text).filter((unit) => unit.group === group && unit.head);
    const lines = rows.map((row) => row.text);
    const rest = lines.reduce((left, line) => left.replace(line, ""), `${title} ${section}\n${text}`);
    const subjects = lines.map((line) => cells(line)[0] ?? "");
    const heads = head ? cells(head.text) : [];
    const inRows = named.filter((name) => lines.some((line) => mentions(line, name)));
    const nowhere = named.filter((name) => !inRows.includes(name) && !mentions(rest, name));
    return {
      names: inRows,
      missing: nowhere.length / Math.max(1, named.length),
      amounts: amounts.filter((amount) => lines.some((line) => has(line, amount))),
      subjects: namesIn(question, subjects),
      isOfOthers:
        namesSibling(question, heads[0] === "" ? heads : subjects) ||
        namesNamesake(question, lines.flatMap(cells), rest),
    };
  }

  return (unit) => {
    if (!unit.head) return { names: 0, amounts: 0 };
    const table = known.get(unit.group) ?? inTable(unit);
    known.set(unit.group, table);
    if (table.isOfOthers) return { names: 1, amounts: 1 };
    const row = unit.text;
    const ofOthers = table.names.length > 0 && !table.names.some((name) => mentions(row, name));
    const isSubject = table.subjects.length === 0 || table.subjects.includes(cells(row)[0] ?? "");
    const isCounted = table.amounts.length === 0 || table.amounts.some((amount) => has(row, amount));
    return { names: ofOthers || !isSubject ? 1 : table.missing, amounts: isCounted ? 0 : 1 };
  };
}

/** Limits in the first cell say what a row applies to: "under 3 years". Elsewhere they say what it states: "at most 10 days". */
const has = (line: string, amount: Quantity) =>
  isWithinLimits(amount, cells(line)[0] ?? "") ??
  (stated(amount, quantities(line)) === "yes" || isInRange(amount, line));

/**
 * True if a question names a member of a numbered series and these names are only other members.
 */
function namesSibling(question: string, known: readonly string[]): boolean {
  const asked = plain(question);
  const numbered = known.map(plain).filter((name) => NUMBER.test(name) && /\p{L}/u.test(name.replace(NUMBER, "")));
  const met = numbered.flatMap((name) => {
    const parts = name.split(NUMBER).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    return asked.match(new RegExp(`(?<![a-z\\d])${parts.join(NUMBER.source)}(?![a-z\\d])`, "gu")) ?? [];
  });
  return met.length > 0 && !met.some((name) => numbered.includes(name));
}

/** True if a question names somebody and only others with this given name are known: 王建国, where there is only a 周建国. */
function namesNamesake(question: string, known: readonly string[], rest: string): boolean {
  const people = known.filter((name) => /^\p{Script=Han}{3}$/u.test(name) && SURNAME.test(name));
  const asked = new Set(people.map((name) => name.slice(1)));
  const named = [...asked].flatMap((given) => {
    const surname = question.charAt(question.indexOf(given) - 1);
    return question.includes(given) && SURNAME.test(surname) ? [surname + given] : [];
  });
  return named.length > 0 && !named.some((name) => known.includes(name) || rest.includes(name));
}

const NUMBER = /(?:\d+|[〇零一二三四五六七八九十百]+)/u;
