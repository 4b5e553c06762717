import { superscript } from "../../text/marks.js";
import type { TreeElement } from "../../tools/web/html-tree.js";
import { at, childrenOf, textOf } from "./archive.js";

/** Writes an equation of Office (OMML) on one line: "(a+b)/2", "x²", "√(b²−4ac)", "∑_(i=1)^(n) i". */
export function equation(element: TreeElement | undefined): string {
  return childrenOf(element).map(part).join("");
}

function part(element: TreeElement): string {
  const inner = (name: string) => equation(at(element, name));
  const property = (name: string) => at(element, `${element.name}Pr`, name)?.attribs.val;
  const base = () => inner("e");
  const below = (words: string) => (words === "" ? "" : `_${grouped(words)}`);
  const above = (words: string) => (words === "" ? "" : superscript(words));
  switch (element.name) {
    case "t":
      return textOf(element);
    case "f":
      if (property("type") === "noBar") return `${inner("num")} choose ${inner("den")}`;
      return `${grouped(inner("num"), TERM)}/${grouped(inner("den"))}`;
    case "sSup":
      return `${powerBase(base())}${above(inner("sup"))}`;
    case "sSub":
      return `${base()}${below(inner("sub"))}`;
    case "sSubSup":
      return `${base()}${below(inner("sub"))}${above(inner("sup"))}`;
    case "sPre":
      return `${below(inner("sub"))}${above(inner("sup"))}${base()}`;
    case "rad": {
      const degree = inner("deg");
      return `${degree === "" || degree === "2" ? "√" : `${above(degree)}√`}${grouped(base())}`;
    }
    case "nary":
      return `${property("chr") ?? "∫"}${below(inner("sub"))}${inner("sup") && `^${grouped(inner("sup"))}`} ${base()}`;
    case "func":
      return `${inner("fName")} ${base()}`;
    case "limLow":
      return `${base()}${below(inner("lim"))}`;
    case "limUpp":
      return `${base()}^${grouped(inner("lim"))}`;
    case "acc":
      return `${base()}${property("chr") ?? "\u0302"}`;
    case "d": {
      const parts = childrenOf(element, "e").map(equation);
      return `${property("begChr") ?? "("}${parts.join(property("sepChr") ?? "|")}${property("endChr") ?? ")"}`;
    }
    case "m":
      return `[${childrenOf(element, "mr")
        .map((row) => childrenOf(row, "e").map(equation).join(", "))
        .join("; ")}]`;
    case "eqArr":
      return childrenOf(element, "e").map(equation).join("; ");
    case "phant":
      return property("show") === "0" ? "" : base();
    case "rPr":
    case "ctrlPr":
      return "";
    default:
      return element.name.endsWith("Pr") ? "" : equation(element);
  }
}

/** Puts words into brackets, unless they are one number or letter, or in brackets. */
const grouped = (words: string, single = SINGLE): string =>
  single.test(words.trim()) ? words.trim() : `(${words.trim()})`;

const SINGLE = /^(?:\p{N}[\p{N}.,]*|.|\([^()]*\))$/u;
/** Before a stroke, a product needs no brackets. */
const TERM = /^(?:[\p{L}\p{N}.,_]+|\([^()]*\))$/u;

/** The base of a power: "(a/b)²", but "ab²" and "(a+b)²" as they are. */
const powerBase = (words: string): string => (/[/+−-]/.test(words) ? grouped(words) : words);
