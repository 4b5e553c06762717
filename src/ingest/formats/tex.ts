import { decode } from "../../text/decode.js";
import { struckOut, superscript } from "../../text/marks.js";
import { isoDate } from "../../text/metadata.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { allowance, type FormatReader, inLine, inMarkdown, type SpendCharacters } from "./content.js";
import { tables } from "./table.js";

/**
 * LaTeX: sections, lists, tables, struck text, notes and code; formulas stay in TeX, with their superscripts as
 * everywhere. Commands that the file defines are replaced by what they stand for. Included files are not read.
 */
export const tex: FormatReader = (bytes) => {
  const spend = allowance(bytes);
  const code: string[] = [];
  const whole = withoutComments(setAside(decode(bytes).replace(/\r\n?/g, "\n"), code));
  const begin = whole.indexOf("\\begin{document}");
  const preamble = begin < 0 ? "" : whole.slice(0, begin);
  const end = whole.indexOf("\\end{document}", begin);
  const body = begin < 0 ? whole : whole.slice(begin + "\\begin{document}".length, end < 0 ? undefined : end);
  const expanded = withMacros(body, macrosIn(whole), spend);
  const about = (name: string) => {
    const at = new RegExp(`\\\\${name}(?:\\[[^\\]]{0,200}\\])?\\{`).exec(`${preamble}\n${body}`);
    return at ? inLine(inlineOf(argument(`${preamble}\n${body}`, at.index + at[0].length - 1).text, spend)) : "";
  };
  const title = about("title");
  const top = [title && `# ${title}`, about("author"), about("date")].filter(Boolean);
  const text = [...top, blocksOf(expanded, code, spend)].join("\n\n").replace(/\n{3,}/g, "\n\n");
  return inMarkdown(text.trim(), { title, reviewedAt: isoDate(about("date")) });
};

const VERBATIM =
  /\\begin\{(verbatim\*?|lstlisting|minted|Verbatim|alltt)\}(?:\[[^\]\n]{0,500}\])?(?:\{[\w+-]{1,40}\})?([\s\S]*?)\\end\{\1\}/g;
const INLINE_CODE = /\\(?:verb\*?|lstinline)([^\sa-zA-Z*{])(.*?)\1/g;

/** Replaces code by marks, since nothing in it is a command or a comment. */
const setAside = (text: string, code: string[]): string =>
  text
    .replace(/\\begin\{comment\}[\s\S]*?\\end\{comment\}/g, "")
    .replace(/\\iffalse\b[\s\S]*?\\fi\b/g, "")
    .replace(VERBATIM, (_, _name, inside: string) => `\n\n\0${code.push(fenced(inside.replace(/^\n/, ""))) - 1}\0\n\n`)
    .replace(INLINE_CODE, (_, _mark, inside: string) => `\0${code.push(`\`${inside}\``) - 1}\0`);

/** A comment goes to the end of its line, and takes the line end with it. */
const withoutComments = (text: string): string =>
  text.replace(/^[ \t]*%.*\n?/gm, "").replace(/(?<!\\)((?:\\\\)*)%.*(?:\n[ \t]*)?/g, "$1");

/** Returns the text of the group that begins at an opening brace, and where it ends. */
function argument(text: string, open: number): { text: string; end: number } {
  if (text[open] !== "{") return { text: text[open] ?? "", end: open + 1 };
  let depth = 0;
  const most = Math.min(text.length, open + LONGEST);
  for (let i = open; i < most; i++) {
    const character = text[i];
    if (character === "\\") i += 1;
    else if (character === "{") depth += 1;
    else if (character === "}" && --depth === 0) return { text: text.slice(open + 1, i), end: i + 1 };
  }
  return { text: "", end: open + 1 };
}

/** In characters. An argument that is not closed within it is none. */
const LONGEST = 50_000;

interface Macro {
  count: number;
  body: string;
}

function macrosIn(text: string): Map<string, Macro> {
  const macros = new Map<string, Macro>();
  const pattern =
    /\\(?:(?:re|provide)?newcommand\*?|def)\s*(?:\{\s*\\([a-zA-Z]+)\s*\}|\\([a-zA-Z]+))\s*(?:\[(\d)\])?((?:#\d)*)\s*(?=\{)/g;
  for (const found of text.matchAll(pattern)) {
    const [all, braced, bare, count, numbers = ""] = found;
    const { text: body } = argument(text, found.index + all.length);
    macros.set(braced ?? bare ?? "", { count: Number(count ?? numbers.length / 2), body });
  }
  return macros;
}

/** Replaces commands that the file defines, at most a few levels deep. */
function withMacros(text: string, macros: ReadonlyMap<string, Macro>, spend: SpendCharacters): string {
  let written = text;
  for (let round = 0; round < ROUNDS && macros.size > 0; round++) {
    let next = "";
    let at = 0;
    for (const found of written.matchAll(/\\([a-zA-Z]+)(?:\s*\{\})?/g)) {
      const macro = macros.get(found[1] ?? "");
      if (!macro || found.index < at) continue;
      // Its definition is no use of it.
      if (
        /\\(?:(?:re|provide)?newcommand\*?|def)\s*\{?$/.test(written.slice(Math.max(0, found.index - 40), found.index))
      )
        continue;
      let end = found.index + (macro.count > 0 ? 1 + (found[1]?.length ?? 0) : found[0].length);
      let body = macro.body;
      for (let i = 1; i <= macro.count; i++) {
        const given = argument(written, end);
        end = given.end;
        body = body.replaceAll(`#${i}`, () => given.text);
        spend(body.length);
      }
      spend(body.length);
      next += written.slice(at, found.index) + body;
      at = end;
    }
    if (at === 0) return written;
    written = next + written.slice(at);
  }
  return written;
}

const ROUNDS = 4;

const SECTIONS: Readonly<Record<string, number>> = {
  part: 1,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
  subparagraph: 6,
};

const COMMAND =
  /\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?\s*(?:\[[^\]]{0,500}\])?(?=\{)|\\(begin|end)\{([a-zA-Z]+\*?)\}|\\item\b\s*|\\caption(?:of\{\w+\})?\s*(?:\[[^\]]{0,500}\])?(?=\{)|\\bibitem(?:\[[^\]]{0,200}\])?\{[^{}]{0,200}\}|\\\[|\\\]|\$\$/g;

const MATHS = new Set(["equation", "align", "gather", "multline", "displaymath", "eqnarray", "math", "flalign"]);
const LISTS = new Set(["itemize", "enumerate", "description", "compactitem", "compactenum", "tasks", "dinglist"]);
const TABLES = new Set(["tabular", "tabularx", "longtable", "tabulary", "tblr", "array", "supertabular", "xltabular"]);

function blocksOf(text: string, code: readonly string[], spend: SpendCharacters): string {
  const written: string[] = [];
  const lists: { isNumbered: boolean; count: number }[] = [];
  let at = 0;
  let isNew = false;
  let ahead = "";
  const next = finder(text);
  const flush = (upTo: number) => {
    const notes: string[] = [];
    const parts = text.slice(at, upTo).split(/\n[ \t]*\n|\\par\b/);
    parts.forEach((part) => {
      const words = tidied(inlineOf(part, spend, notes)).replace(/\0(\d+)\0/g, (_, i: string) => code[Number(i)] ?? "");
      if (words === "") return;
      const depth = lists.length - 1;
      if (depth < 0) written.push(words, ...notes.splice(0));
      else {
        const indent = "   ".repeat(Math.max(0, depth));
        const list = lists.at(-1);
        const mark = list?.isNumbered ? `${list.count}. ` : "- ";
        const line = words.replace(/\n/g, `\n${indent}   `);
        written.push(isNew ? `\ufdd2${indent}${mark}${ahead}${line}` : `\ufdd2${indent}   ${line}`);
        written.push(...notes.splice(0).map((note) => `\ufdd2${indent}   ${note}`));
        isNew = false;
        ahead = "";
      }
    });
    at = upTo;
  };
  COMMAND.lastIndex = 0;
  for (let found = COMMAND.exec(text); found; found = COMMAND.exec(text)) {
    const [all, section, edge, environment = ""] = found;
    const name = environment.replace(/\*$/, "");
    let end = found.index + all.length;
    flush(found.index);
    if (section !== undefined) {
      const title = argument(text, end);
      end = title.end;
      written.push(`${"#".repeat(SECTIONS[section] ?? 2)} ${inLine(inlineOf(title.text, spend))}`);
    } else if (all.startsWith("\\caption")) {
      const caption = argument(text, end);
      end = caption.end;
      written.push(inLine(inlineOf(caption.text, spend)));
    } else if (all.startsWith("\\item")) {
      const list = lists.at(-1);
      if (list) list.count += 1;
      isNew = true;
      const label = /^\[([^\]]{0,500})\]\s*/.exec(text.slice(end, end + 510));
      ahead = label ? `${inLine(inlineOf(label[1] ?? "", spend))}${/[:：.]$/.test(label[1] ?? "") ? "" : ":"} ` : "";
      if (label && /^\$?\\(?:square|Box|boxtimes|checkbox|CheckedBox|done|XBox|checkmark)\b/.test(label[1] ?? ""))
        ahead = ahead.slice(0, -2).concat(" ");
      end += label?.[0].length ?? 0;
    } else if (all.startsWith("\\bibitem")) written.push("");
    else if (all === "$$" || all === "\\[") {
      const close = next(all === "$$" ? "$$" : "\\]", end);
      const to = close < 0 || close - end > LONGEST ? end : close;
      written.push(mathOf(text.slice(end, to)));
      end = to === end ? end : to + 2;
    } else if (edge === "begin" && TABLES.has(name)) {
      const close = next(`\\end{${environment}}`, end);
      const to = close < 0 ? text.length : close;
      written.push(tableOf(text.slice(end, to), spend, code));
      end = close < 0 ? to : to + `\\end{${environment}}`.length;
    } else if (edge === "begin" && MATHS.has(name)) {
      const close = next(`\\end{${environment}}`, end);
      const to = close < 0 ? end : close;
      written.push(mathOf(text.slice(end, to)));
      end = close < 0 ? end : to + `\\end{${environment}}`.length;
    } else if (edge === "begin" && LISTS.has(name))
      lists.push({ isNumbered: name.endsWith("enumerate") || name === "compactenum", count: 0 });
    else if (edge === "end" && LISTS.has(name)) lists.pop();
    // The options of an environment are no text.
    if (edge === "begin" && !TABLES.has(name) && !MATHS.has(name))
      end += /^(?:\s*\[[^\]]{0,300}\])?(?:\{\d[^{}]{0,40}\})?/.exec(text.slice(end, end + 400))?.[0].length ?? 0;
    at = end;
    COMMAND.lastIndex = end;
  }
  flush(text.length);
  return written
    .filter((part) => part.replace("\ufdd2", "").trim() !== "")
    .join("\n\n")
    .replace(/\n\n\ufdd2(?=(?:[ ]*(?:-|\d+\.) | {3}))/g, (_, place: number, all: string) =>
      isItemBefore(all, place) ? "\n" : "\n\n",
    )
    .replaceAll("\ufdd2", "");
}

/** Returns a function that finds the next of a text from a place on. Takes linear time for places in order. */
function finder(text: string): (part: string, from: number) => number {
  const found = new Map<string, number>();
  return (part, from) => {
    const last = found.get(part);
    const at = last !== undefined && (last < 0 || last >= from) ? last : text.indexOf(part, from);
    found.set(part, at);
    return at;
  };
}

/** True if the line before a place belongs to a list. */
function isItemBefore(text: string, place: number): boolean {
  const line = text.slice(text.lastIndexOf("\n", place - 1) + 1, place);
  return line.startsWith("\ufdd2") || /^ {3}/.test(line);
}

const tidied = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join(" ")
    .replaceAll("\u0002", "\n")
    .replace(/ {2,}/g, " ")
    .replace(/ *\n */g, "\n")
    .trim();

/** Writes the rows of a table. A cell of several rows is repeated in each, and one of several columns is in the first. */
function tableOf(text: string, spend: SpendCharacters, code: readonly string[]): string {
  let start = 0;
  // The width, the options and the columns.
  for (let i = 0; i < 3; i++) {
    const rest = text.slice(start);
    const option = /^\s*\[[^\]]{0,200}\]/.exec(rest)?.[0];
    const brace = /^\s*(?=\{)/.exec(rest);
    if (option) start += option.length;
    else if (brace && (i === 0 || !/\\\\|&/.test(argument(text, start + brace[0].length).text)))
      start = argument(text, start + brace[0].length).end;
    else break;
  }
  const rows: string[][] = [];
  const below = new Map<number, { text: string; rows: number }>();
  const body = text
    .slice(start)
    .replace(
      /\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|addlinespace)(?![a-zA-Z])(?:\[[^\]]{0,40}\])?/g,
      " ",
    )
    .replace(/\\(?:cline|cmidrule)(?:\([^)]{0,20}\))?\{[^{}]{0,40}\}/g, " ");
  for (const line of body.split(/\\\\(?:\*)?(?:[ \t]*\[[^\]\n]{0,20}\])?|\\tabularnewline(?![a-zA-Z])/)) {
    if (line.trim() === "") continue;
    const cells: string[] = [];
    for (const cell of line.split(/(?<!\\)&/)) {
      const wide = /^\s*\\multicolumn\s*\{(\d+)\}\s*(?=\{)/.exec(cell);
      let inner = cell;
      let span = 1;
      if (wide) {
        span = Math.min(100, Number(wide[1]) || 1);
        inner = argument(cell, argument(cell, wide[0].length).end).text;
      }
      const high = /^\s*\\multirow\s*(?:\[[^\]]{0,20}\])?\s*\{(\d+)\}\s*(?:\[[^\]]{0,20}\])?\s*(?=\{|\*)/.exec(inner);
      if (high) inner = argument(inner, argument(inner, high[0].length).end).text;
      const words = inLine(inlineOf(inner, spend)).replace(/\0(\d+)\0/g, (_, i: string) => code[Number(i)] ?? "");
      const column = cells.length;
      const above = below.get(column);
      if (words === "" && above && above.rows > 0) {
        spend(above.text.length);
        cells.push(above.text);
        above.rows -= 1;
      } else cells.push(words);
      if (high) below.set(column, { text: words, rows: Math.min(1_000, Number(high[1]) || 1) - 1 });
      cells.push(...Array<string>(span - 1).fill(""));
    }
    rows.push(cells);
  }
  return tables(rows, spend);
}

/** Writes a formula: in TeX, but superscripts, fractions and common signs as text. */
function mathOf(math: string): string {
  const shown = inMath(math.replace(/\\(?:label|tag|nonumber|notag)(?:\{[^{}]{0,200}\})?/g, ""));
  return shown.replace(/\s+/g, " ").trim();
}

function inMath(math: string): string {
  return math
    .replace(/\\(?:text|mathrm|mathit|mathbf|textrm|textbf|operatorname|mbox|mathsf)\s*\{([^{}]{0,500})\}/g, "$1")
    .replace(/\\(?:cancel|sout|xcancel|bcancel)\s*\{([^{}]{0,500})\}/g, (_, words: string) => struckOut(words))
    .replace(/\^\s*(?:\\circ|\{\\circ\})/g, "°")
    .replace(/\^\s*\{([^{}]{1,100})\}/g, (_, up: string) => superscript(signs(up).replace(/\s+/g, "")))
    .replace(/\^\s*(\\[a-zA-Z]+|[^\s\\{}])/g, (_, up: string) => superscript(signs(up)))
    .replace(
      /\\[dt]?frac\s*\{([^{}]{1,200})\}\s*\{([^{}]{1,200})\}/g,
      (_, top: string, bottom: string) => `${grouped(top)}/${grouped(bottom)}`,
    )
    .replace(/\\(?:left|right|big|Big|bigg|Bigg|displaystyle|limits|nolimits)(?![a-zA-Z])/g, "")
    .replace(/\\[,;:! ]|\\q?quad(?![a-zA-Z])|~/g, " ")
    .replace(/\{,\}/g, ",")
    .replace(/\\\\/g, "\n")
    .replace(/(?<!\\)&/g, " ")
    .replace(/\\([%$#&_{}])/g, "$1")
    .replace(/\\[a-zA-Z]+/g, signs);
}

const grouped = (part: string) => (/^[\p{L}\p{N}.,]*$/u.test(part.trim()) ? part.trim() : `(${part.trim()})`);
const signs = (text: string) => text.replace(/\\([a-zA-Z]+)/g, (whole, name: string) => SIGNS[name] ?? whole);

const SIGNS: Readonly<Record<string, string>> = {
  times: "×",
  cdot: "·",
  pm: "±",
  leq: "≤",
  le: "≤",
  geq: "≥",
  ge: "≥",
  neq: "≠",
  ne: "≠",
  approx: "≈",
  sim: "∼",
  to: "→",
  rightarrow: "→",
  Rightarrow: "⇒",
  leftarrow: "←",
  leftrightarrow: "↔",
  infty: "∞",
  degree: "°",
  circ: "°",
  mu: "μ",
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  Delta: "Δ",
  epsilon: "ε",
  lambda: "λ",
  pi: "π",
  rho: "ρ",
  sigma: "σ",
  theta: "θ",
  omega: "ω",
  Omega: "Ω",
  sum: "∑",
  prod: "∏",
  int: "∫",
  sqrt: "√",
  ldots: "…",
  dots: "…",
  cdots: "…",
  checkmark: "✓",
  square: "[ ]",
  Box: "[ ]",
  boxtimes: "[x]",
  checkbox: "[ ]",
  CheckedBox: "[x]",
  XBox: "[x]",
  done: "[x]",
};

/** Commands whose argument is shown as it is. */
const SHOWN =
  "textbf|textit|textsl|textsc|textrm|textsf|texttt|textmd|textup|textnormal|emph|underline|uline|mbox|fbox|text|enquote|textcolor|colorbox|foreignlanguage|url|path|nolinkurl|hl|textquote|ce|centerline|makebox|parbox|MakeUppercase|textsubscript";
/** Commands that show nothing, with all their arguments. */
const UNSHOWN =
  "label|ref|pageref|autoref|cref|Cref|eqref|cite|citep|citet|citealp|parencite|textcite|autocite|nocite|index|glossary|vspace|hspace|includegraphics|bibliography|bibliographystyle|addbibresource|usepackage|documentclass|pagestyle|thispagestyle|setlength|addtolength|setcounter|addcontentsline|input|include|title|author|date|newcommand|renewcommand|providecommand|hypersetup|definecolor|graphicspath|newtheorem|theoremstyle|geometry|pagenumbering|markboth|markright|phantomsection|hypertarget|color|fontsize|selectlanguage|stepcounter|refstepcounter|rule|thanks";

function inlineOf(part: string, spend: SpendCharacters, notes: string[] = [], depth = 0): string {
  let written = "";
  let at = 0;
  const pattern =
    /\\([a-zA-Z]+)\*?|\\([^a-zA-Z])|(\$)((?:[^$\\]|\\[\s\S]){1,5000}?)\$|\\\(([\s\S]{0,5000}?)\\\)|([{}~])|---?|``|''/g;
  for (let found = pattern.exec(part); found; found = pattern.exec(part)) {
    if (found.index < at) continue;
    const [all, command, symbol, dollar, math, parenthesised, mark] = found;
    written += part.slice(at, found.index);
    at = found.index + all.length;
    // A group after a command, which may have options and a space before it.
    const next = (): string => {
      const gap = /^\s*(?:\[[^\]]{0,300}\])?\s*(?=\{)/.exec(part.slice(at, at + 400))?.[0];
      if (gap === undefined) return "";
      const group = argument(part, at + gap.length);
      at = group.end;
      return group.text;
    };
    const inner = (text: string) => (depth < DEEPEST ? inlineOf(text, spend, notes, depth + 1) : text);
    if (dollar !== undefined) written += mathOf(math ?? "");
    else if (symbol === "(" || parenthesised !== undefined) written += mathOf(parenthesised ?? "");
    else if (symbol !== undefined) {
      const accent = ACCENTS[symbol];
      const letter =
        accent === undefined
          ? undefined
          : /^\s*(?:\{(\\?[a-zA-Z]?)\}|(\\[ij](?![a-zA-Z])|[a-zA-Z]))/.exec(part.slice(at, at + 12));
      if (accent !== undefined && letter) {
        written += `${(letter[1] ?? letter[2] ?? "").replace("\\", "")}${accent}`.normalize("NFC");
        at += letter[0].length;
      } else if (symbol === "\\") {
        written += "\u0002";
        at += /^\*?(?:\[[^\]\n]{0,20}\])?/.exec(part.slice(at, at + 24))?.[0].length ?? 0;
      } else if (/[%$#&_{}]/.test(symbol)) written += symbol;
      else if (/[\s,;:/]/.test(symbol)) written += " ";
    } else if (command !== undefined) {
      const isStruck = /^(?:sout|st|xout|cancel|strike|sttext|textst)$/.test(command);
      if (isStruck) written += struckOut(inner(next()));
      else if (command === "textsuperscript") written += superscript(inner(next()));
      else if (command === "footnote" || command === "footnotetext" || command === "endnote")
        notes.push(inLine(inner(next())));
      else if (command === "href") {
        next();
        written += inner(next());
      } else if (
        command === "textcolor" ||
        command === "colorbox" ||
        command === "foreignlanguage" ||
        command === "parbox"
      ) {
        next();
        written += inner(next());
      } else if (command === "SI" || command === "qty") written += `${inner(next())} ${unitOf(next())}`;
      else if (command === "si" || command === "unit") written += unitOf(next());
      else if (command === "num") written += inner(next());
      else if (new RegExp(`^(?:${UNSHOWN})$`).test(command)) {
        while (/^\s*(?:\[[^\]]{0,300}\])?\s*\{/.test(part.slice(at, at + 400)) && next() !== "")
          if (command !== "newcommand" && command !== "setlength" && command !== "rule") break;
      } else if (new RegExp(`^(?:${SHOWN})$`).test(command)) written += inner(next());
      else if (command === "newline" || command === "linebreak") written += "\u0002";
      else if (command in LETTERS) {
        written += LETTERS[command] ?? "";
        at += /^(?:\{\}|[ \t]+(?=\S))?/.exec(part.slice(at, at + 8))?.[0].length ?? 0;
      } else if (command in SIGNS) written += SIGNS[command] ?? "";
      // An unknown command shows its argument, if it has one, since text must not be lost.
      else at += /^[ \t]*/.exec(part.slice(at, at + 8))?.[0].length ?? 0;
    } else if (mark === "~") written += " ";
    else if (all === "---") written += "—";
    else if (all === "--") written += "–";
    else if (all === "``") written += "“";
    else if (all === "''") written += "”";
    pattern.lastIndex = at;
  }
  return written + part.slice(at);
}

const DEEPEST = 20;

/** Writes a unit, whose parts are commands, as in `\\kilo\\gram\\per\\metre\\squared`. */
const unitOf = (unit: string) =>
  unit
    .replace(/\\([a-zA-Z]+)\s*/g, (_, name: string) => UNITS[name] ?? SIGNS[name] ?? name)
    .replace(/\^\{?(-?\d)\}?/g, (_, up: string) => superscript(up))
    .trim();

const UNITS: Readonly<Record<string, string>> = {
  per: "/",
  squared: "²",
  cubed: "³",
  percent: "%",
  kilo: "k",
  centi: "c",
  milli: "m",
  micro: "μ",
  nano: "n",
  mega: "M",
  giga: "G",
  metre: "m",
  meter: "m",
  gram: "g",
  second: "s",
  minute: "min",
  hour: "h",
  day: "d",
  litre: "l",
  liter: "l",
  kelvin: "K",
  celsius: "°C",
  degreeCelsius: "°C",
  ampere: "A",
  volt: "V",
  watt: "W",
  joule: "J",
  newton: "N",
  pascal: "Pa",
  hertz: "Hz",
  mole: "mol",
  tonne: "t",
  byte: "B",
};

/** Accents as combining characters. */
const ACCENTS: Readonly<Record<string, string>> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
};

const LETTERS: Readonly<Record<string, string>> = {
  ss: "ß",
  o: "ø",
  O: "Ø",
  ae: "æ",
  AE: "Æ",
  aa: "å",
  AA: "Å",
  l: "ł",
  L: "Ł",
  i: "ı",
  euro: "€",
  EUR: "€",
  pounds: "£",
  textsterling: "£",
  texteuro: "€",
  copyright: "©",
  S: "§",
  P: "¶",
  dag: "†",
  textdegree: "°",
  textbackslash: "\\",
  textasciitilde: "~",
  textasciicircum: "^",
  textbar: "|",
  textless: "<",
  textgreater: ">",
  textendash: "–",
  textemdash: "—",
  textbullet: "•",
  textquotesingle: "'",
  LaTeX: "LaTeX",
  TeX: "TeX",
  today: "",
  slash: "/",
  quad: " ",
  qquad: " ",
  space: " ",
};
