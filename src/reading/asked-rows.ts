import { withinLimit } from "../facts/limits.js";
import { quantities } from "../facts/numbers.js";
import { conflicts } from "../facts/stated.js";
import { headLine } from "../text/head-line.js";
import { wordsAndCode } from "../text/markup.js";
import { findQuote } from "../text/quotes.js";
import { cells, readRow, withUnits } from "../text/tables.js";
import { contentTerms } from "../text/tokens.js";
import type { Evidence } from "../types/evidence.js";
import { sayable } from "./reading.js";
import { type Unit, unitsOf } from "./units.js";

/**
 * Finds all rows of a table that a question asks for, given one that answers it. A question with a limit asks for the
 * rows that keep it: "Which plans cost less than 50 euros?". A question that names a value asks for every row that has
 * it: "Who works in Sales?".
 * @param evidence where the table may go on, since a long one is cut into several passages.
 * @returns the rows in order; none if no row keeps the limit; undefined for other questions, as those that
 * name the first cell of a row.
 */
export function askedRows(question: string, row: Unit, evidence: readonly Evidence[]): Unit[] | undefined {
  if (!row.head) return undefined;
  const asked = new Set(contentTerms(question));
  const [subject = "", ...values] = cells(row.text);
  if (isNamed(subject, asked)) return undefined;
  const table = tableOf(row, evidence);
  const kept = keepingLimit(question, table, asked);
  if (kept) return kept;
  if (!values.some((value) => isNamed(value, asked))) return undefined;
  const shared = sharedTerms(row, asked);
  return table.filter((one) => shared.isSubsetOf(sharedTerms(one, asked)));
}

/**
 * Returns a row as its first filled cell and the one that the question asks for: "Room: Double; Winter: EUR 71". The row's other
 * amounts, under headings that the question does not name, are not what it asks for. Undefined if the question names no
 * column or several, if the row has no other amount of that kind, or if its answer may be in another cell.
 * @param row with the `words` that answer, if it was read alone.
 */
export function askedCell(question: string, { head, text, words = "" }: Unit & { words?: string }): string | undefined {
  if (!head) return undefined;
  const asked = new Set(contentTerms(question));
  const [names, values] = [cells(head.text), cells(text)];
  const subject = values.findIndex((cell) => cell !== "");
  const met = names.map((name, i) => asked.intersection(new Set(i > subject ? contentTerms(name) : [])));
  const most = Math.max(...met.map(({ size }) => size));
  const at = met.findIndex(({ size }) => size === most);
  const own = met[at];
  // A column with a word of the question that this one lacks is asked for too.
  if (!own || most === 0 || met.some((terms, i) => i !== at && (terms.size === most || !terms.isSubsetOf(own))))
    return undefined;
  const [name = "", value = ""] = [names[at], values[at]];
  const [amount] = quantities(value);
  const rivals = values.filter(
    (cell, i) =>
      i > 0 && i !== at && quantities(cell).some((other) => amount !== undefined && conflicts(amount, other)),
  );
  const isRead =
    words === "" ? isNamed(name, asked) : [value, ...rivals].some((cell) => findQuote(cell, words) !== undefined);
  if (rivals.length === 0 || !isRead) return undefined;
  const row = (some: readonly string[]) => `| ${[some[subject], some[at]].join(" | ")} |`;
  return wordsAndCode(readRow(row(names), row(values)));
}

/** True if a question has all words of a cell. */
const isNamed = (cell: string, asked: ReadonlySet<string>) => {
  const words = contentTerms(cell);
  return words.length > 0 && words.every((word) => asked.has(word));
};

const sharedTerms = ({ text }: Unit, asked: ReadonlySet<string>) => asked.intersection(new Set(contentTerms(text)));

/** True for rows of one table, which may be cut into passages: of one document, under the same headings and header. */
const isOfOneTable = (one: Unit, other: Unit): boolean =>
  one.evidence.uri === other.evidence.uri &&
  one.head?.text === other.head?.text &&
  headLine(one.evidence, one.headings) === headLine(other.evidence, other.headings);

/** Returns all rows of the row's table, in order, from every passage of its document that is at hand. */
function tableOf(row: Unit, all: readonly Evidence[]): Unit[] {
  const place = ({ id }: Evidence) => Number(/\d+$/.exec(id)?.[0] ?? 0);
  return all
    .filter(({ uri }) => uri === row.evidence.uri)
    .toSorted((a, b) => place(a) - place(b))
    .flatMap((piece) => sayable(unitsOf(piece)))
    .filter((unit) => isOfOneTable(unit, row));
}

/**
 * Returns the rows that keep the question's limit, by the columns of that unit whose heading the question names best;
 * undefined if there is no limit, or no column that has such an amount in most rows.
 */
function keepingLimit(question: string, table: readonly Unit[], asked: ReadonlySet<string>): Unit[] | undefined {
  const isWithin = withinLimit(question);
  const head = table[0]?.head?.text ?? "";
  if (!isWithin) return undefined;
  const rows = table.map((row) => withUnits(head, row.text).map((cell) => isWithin(cell)));
  const columns = cells(head)
    .map((name, at) => ({ at, named: asked.intersection(new Set(contentTerms(name))).size }))
    .filter(({ at }) => 2 * rows.filter((row) => row[at] !== undefined).length > rows.length);
  const best = Math.max(...columns.map(({ named }) => named));
  const chosen = columns.filter(({ named }) => named === best);
  return chosen.length === 0 ? undefined : table.filter((_, i) => chosen.some(({ at }) => rows[i]?.[at]));
}
