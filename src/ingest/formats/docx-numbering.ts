import { at, childrenOf, descendants, type Xml } from "./xml.js";

/** The number of a list item or heading as Word shows it, such as "4.2" or "(a)"; empty for a bullet. */
interface Label {
  number: string;
  /** From 0. */
  depth: number;
}

interface Level {
  start: number;
  format: string;
  text: string;
}

/**
 * Returns a function that counts the numbered paragraphs of a document, in order, and returns the label of each. Word
 * does not store the numbers, but text refers to them ("see section 4.2").
 */
export function numbering(root: Xml): (own: Xml | undefined, ofStyle: Xml | undefined) => Label | undefined {
  const lists = new Map<string | undefined, Level[]>(
    descendants(root, "abstractNum").map((list) => [
      list.attributes.abstractNumId,
      childrenOf(list, "lvl").map(levelOf),
    ]),
  );
  const numbers = new Map(
    descendants(root, "num").map((num) => [
      num.attributes.numId,
      { list: at(num, "abstractNumId")?.attributes.val, restarts: restartsOf(num) },
    ]),
  );
  const counters = new Map<string | undefined, number[]>();
  return (own, ofStyle) => {
    const property = (name: string) => at(own, name)?.attributes.val ?? at(ofStyle, name)?.attributes.val;
    const id = property("numId");
    const { list, restarts } = numbers.get(id) ?? {};
    const depth = Math.min(8, Number(property("ilvl") ?? 0) || 0);
    const levels = lists.get(list) ?? [];
    if (own === undefined || id === undefined || id === "0" || levels.length === 0) return undefined;
    const counts = counters.get(list) ?? [];
    counters.set(list, counts);
    counts.length = Math.min(counts.length, depth + 1);
    const restart = restarts?.get(depth);
    if (restart !== undefined) counts[depth] = restart - 1;
    restarts?.delete(depth);
    for (let i = 0; i <= depth; i++) counts[i] ??= (levels[i]?.start ?? 1) - (i === depth ? 1 : 0);
    counts[depth] = (counts[depth] ?? 0) + 1;
    const { format, text } = levels[depth] ?? BULLET;
    if (format === "bullet" || format === "none") return { number: "", depth };
    const number = text.replace(/%(\d)/g, (_, place: string) => {
      const i = Number(place) - 1;
      return counted(counts[i] ?? 1, levels[i]?.format ?? "");
    });
    return { number, depth };
  };
}

/** Returns the numbers at which a list restarts, by level. Several lists may share one definition of levels. */
const restartsOf = (num: Xml) =>
  new Map(
    childrenOf(num, "lvlOverride").flatMap((level) => {
      const start = Number(at(level, "startOverride")?.attributes.val ?? Number.NaN);
      return Number.isNaN(start) ? [] : [[Number(level.attributes.ilvl), start] as const];
    }),
  );

const BULLET: Level = { start: 1, format: "bullet", text: "" };

const levelOf = (level: Xml): Level => {
  const property = (name: string) => at(level, name)?.attributes.val;
  return {
    start: Number(property("start") ?? 1) || 0,
    format: property("numFmt") ?? "decimal",
    text: property("lvlText") ?? "",
  };
};

function counted(n: number, format: string): string {
  if (n < 1 || n > 999) return String(n);
  if (/letter/i.test(format)) {
    const letter = String.fromCharCode(97 + ((n - 1) % 26)).repeat(Math.ceil(n / 26));
    return format.startsWith("upper") ? letter.toUpperCase() : letter;
  }
  if (/roman/i.test(format)) return format.startsWith("upper") ? roman(n) : roman(n).toLowerCase();
  if (/chinese|ideograph|japanese/i.test(format)) return chinese(n);
  return String(n);
}

const roman = (n: number) =>
  ["", "M"][Math.floor(n / 1000)] +
  [..."CXI"]
    .map((one, i) => {
      const five = "DLV"[i] ?? "";
      const ten = "MCX"[i] ?? "";
      const digit = Math.floor(n / 10 ** (2 - i)) % 10;
      if (digit === 9) return one + ten;
      if (digit === 4) return one + five;
      return (digit >= 5 ? five : "") + one.repeat(digit % 5);
    })
    .join("");

const chinese = (n: number) => {
  const digits = "零一二三四五六七八九";
  const [hundreds, tens, ones] = [Math.floor(n / 100), Math.floor(n / 10) % 10, n % 10];
  const high = hundreds > 0 ? `${digits[hundreds]}百` : "";
  const middle = tens > 0 ? `${tens > 1 || hundreds > 0 ? digits[tens] : ""}十` : high !== "" && ones > 0 ? "零" : "";
  return high + middle + (ones > 0 ? digits[ones] : "");
};
