import { checkBox } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { inCodePage } from "./compound.js";
import { allowance, type FormatReader, inLine, inMarkdown, type SpendCharacters } from "./content.js";
import { comment, marked, type Run } from "./marked.js";
import { inBlocks, type Paragraph } from "./paragraphs.js";
import { symbol } from "./symbols.js";

/** Rich text: headings, lists with their numbers, tables, notes and comments, without deleted and hidden text. */
export const rtf: FormatReader = (bytes) => {
  const { text, info } = read(bytes, allowance(bytes));
  return inMarkdown(text, {
    title: inLine(info.get("title") ?? ""),
    reviewedAt: isoDate(info.get("revtim") ?? ""),
    metadata: metadataOf(["author", "subject", "keywords"].map((name) => [name, inLine(info.get(name) ?? "")])),
  });
};

/** Returns the text of RTF as Markdown. */
export const rtfText = (bytes: Uint8Array): string => read(bytes, allowance(bytes)).text;

/** Words and their numbers, symbols, groups and text. */
const TOKEN = /\\([a-z]{1,40})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\/gi;

/** Where text goes: the document, a note, a header, or a property. */
interface Story {
  name: string;
  paragraphs: Paragraph[];
  runs: Run[];
  beside: string[];
  /** The number that is shown before the paragraph. */
  number: string | undefined;
}

interface State {
  /** Undefined where text is left out. */
  story: Story | undefined;
  isStruck: boolean;
  isRaised: boolean;
  isHidden: boolean;
  isDeleted: boolean;
  font: number;
  /** The characters after a Unicode character that stand for it in older programs. */
  standIns: number;
  isInTable: boolean;
  style: number;
  outline: number;
  depth: number;
}

const PLAIN = { isStruck: false, isRaised: false, isHidden: false, isDeleted: false };
const PARAGRAPH = { isInTable: false, style: 0, outline: 9, depth: 0 };

/** Destinations that are stories, by what becomes of them. */
const STORIES = new Set(
  "footnote annotation atnauthor atnid header headerl headerr headerf footer footerl footerr footerf shptxt listtext pntext fldinst title author subject keywords revtim".split(
    " ",
  ),
);
/** Destinations whose text is part of the story around them, although other programs may leave them out. */
const OPEN = new Set("shpinst ud shp fldrslt field".split(" "));
const LEFT_OUT = new Set(
  "colortbl pict objdata objclass shprslt nonshppict nonesttables upr xe tc txe rxe filetbl themedata datafield pnseclvl pn sp generator listtable listoverridetable rsidtbl latentstyles mmathPr xmlnstbl revtbl comment operator company manager category doccomm hlinkbase keycode".split(
    " ",
  ),
);

function read(bytes: Uint8Array, spend: SpendCharacters): { text: string; info: Map<string, string> } {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const body = storyOf("body");
  const info = new Map<string, string>();
  const edges = { header: new Set<string>(), footer: new Set<string>() };
  const boxes: string[] = [];
  const fonts = new Map<number, number>();
  const fontNames = new Map<number, string>();
  const headings = new Map<number, number>();
  let page = 1252;
  let state: State = { ...PLAIN, ...PARAGRAPH, story: body, font: -1, standIns: 1 };
  const above: State[] = [];
  let bytesAhead: number[] = [];
  let skip = 0;
  let author = "";
  let table = { edges: [] as number[], start: 0, goesOn: [] as boolean[] };
  let isBelow = false;
  let box = { is: false, value: undefined as number | undefined, usual: 0 };
  /** The table of fonts or styles, while it is read: the number of the entry and its name. */
  let entry: { of: "fonts" | "styles"; number: number; name: string; depth: number } | undefined;

  const add = (text: string) => {
    if (entry) entry.name += text;
    else if (state.story && !state.isHidden && !state.isDeleted)
      state.story.runs.push({ text, isStruck: state.isStruck, isRaised: state.isRaised });
  };
  const sign = (code: number) =>
    symbol(fontNames.get(state.font) ?? "", code) ?? (code < 0x80 ? String.fromCharCode(code) : "");
  const flush = () => {
    if (bytesAhead.length === 0) return;
    const used = fonts.get(state.font) ?? page;
    const text = used === SYMBOLS ? bytesAhead.map(sign).join("") : inCodePage(Uint8Array.from(bytesAhead), used);
    bytesAhead = [];
    add(text);
  };
  const end = (place: "text" | "in a cell" | "ends a cell" | "ends a row") => {
    const { story } = state;
    if (!story) return;
    const words = marked(story.runs);
    const number = story.number;
    const level = headings.get(state.style) ?? (state.outline < 9 ? state.outline + 1 : 0);
    const isItem = number !== undefined;
    const common = {
      words,
      level,
      item: isItem
        ? { depth: Math.min(8, state.depth), number: /[\p{L}\p{N}]/u.test(number) ? number : "" }
        : undefined,
      beside: story.beside,
    };
    story.paragraphs.push(place === "ends a row" ? { ...common, place, row: { ...table } } : { ...common, place });
    story.runs = [];
    story.beside = [];
    story.number = undefined;
  };
  const finish = (story: Story, around: Story | undefined) => {
    if (story.runs.length > 0 || story.beside.length > 0) end("text");
    const { name, paragraphs } = story;
    const plain = () => inLine(paragraphs.map(({ words }) => words).join(" "));
    if (name === "listtext" || name === "pntext") {
      if (around) around.number = plain();
    } else if (name === "footnote") around?.beside.push(plain(), ...paragraphs.flatMap(({ beside }) => beside));
    else if (name === "atnauthor") author = plain();
    else if (name === "annotation") {
      around?.beside.push(comment({ author, words: plain() }));
      author = "";
    } else if (/^(?:header|footer)/.test(name)) {
      const shown = paragraphs.map(({ words }) => inLine(words)).filter((words) => /\p{L}/u.test(words));
      edges[name.startsWith("h") ? "header" : "footer"].add(shown.join("\n\n"));
    } else if (name === "shptxt") boxes.push(inBlocks(paragraphs, spend));
    else if (name === "fldinst") {
      const isChecked = (box.value === undefined || box.value === UNDECIDED ? box.usual : box.value) === 1;
      if (box.is) around?.runs.push({ text: checkBox(isChecked) });
      box = { is: false, value: undefined, usual: 0 };
    } else if (name !== "atnid" && !info.has(name)) info.set(name, plain());
  };
  const close = () => {
    const { story } = state;
    const outer = above.pop();
    if (!outer) return;
    if (entry && above.length < entry.depth) entry = undefined;
    if (story && story !== outer.story) finish(story, outer.story);
    state = outer;
  };

  const word = (name: string, given: number | undefined, isOptional: boolean) => {
    const number = given ?? 1;
    if (name === "fonttbl" || name === "stylesheet") {
      entry = { of: name === "fonttbl" ? "fonts" : "styles", number: 0, name: "", depth: above.length };
      return;
    }
    if (entry) {
      if (name === "f" && entry.of === "fonts") entry.number = number;
      else if (name === "s" && entry.of === "styles") entry.number = number;
      else if (name === "fcharset") fonts.set(entry.number, CHARSETS[number] ?? page);
      else if (name === "cpg") fonts.set(entry.number, number);
      else if (name === "outlinelevel" && number < 9 && entry.of === "styles") headings.set(entry.number, number + 1);
      return;
    }
    if (STORIES.has(name) && above.length > 0) {
      const isKept = state.story !== undefined || name === "title" || name === "revtim";
      state = { ...state, ...PLAIN, ...PARAGRAPH, story: isKept ? storyOf(name) : undefined };
      return;
    }
    if (name === "yr" || name === "mo" || name === "dy") {
      if (state.story?.name === "revtim") add(`${name === "yr" ? "" : "-"}${String(number).padStart(2, "0")}`);
      return;
    }
    if (LEFT_OUT.has(name) || (isOptional && !OPEN.has(name) && !FORM.has(name))) {
      state = { ...state, story: undefined };
      return;
    }
    if (name === "ud") {
      // The same text again, in Unicode: the first writing of it is left out.
      state = { ...state, story: above.at(-2)?.story };
      return;
    }
    if (FORM.has(name)) {
      if (name === "formfield") box = { is: false, value: undefined, usual: 0 };
      else if (name === "fftype") box.is = number === 1;
      else if (name === "ffres") box.value = number;
      else if (name === "ffdefres") box.usual = number;
      state = name === "formfield" ? { ...state, story: undefined } : state;
      return;
    }
    if (name in CHARACTERS) add(CHARACTERS[name] ?? "");
    else if (name === "par" || name === "sect" || name === "page") end(state.isInTable ? "in a cell" : "text");
    else if (name === "cell") end("ends a cell");
    else if (name === "nestcell") end("in a cell");
    else if (name === "row") end("ends a row");
    else if (name === "pard") state = { ...state, ...PARAGRAPH };
    else if (name === "plain") state = { ...state, ...PLAIN };
    else if (name === "intbl") state = { ...state, isInTable: number !== 0 };
    else if (name === "s") state = { ...state, style: number };
    else if (name === "outlinelevel") state = { ...state, outline: number };
    else if (name === "ilvl") state = { ...state, depth: number };
    else if (name === "strike" || name === "striked") state = { ...state, isStruck: number !== 0 };
    else if (name === "super") state = { ...state, isRaised: number !== 0 };
    else if (name === "up") state = { ...state, isRaised: number > 0 };
    else if (name === "nosupersub" || name === "sub" || name === "dn") state = { ...state, isRaised: false };
    else if (name === "v") state = { ...state, isHidden: number !== 0 };
    else if (name === "deleted") state = { ...state, isDeleted: number !== 0 };
    else if (name === "f") state = { ...state, font: number };
    else if (name === "uc") state = { ...state, standIns: Math.max(0, number) };
    else if (name === "ansicpg") page = number;
    else if (name === "trowd") table = { edges: [], start: 0, goesOn: [] };
    else if (name === "trleft") table = { ...table, start: number };
    else if (name === "clvmrg") isBelow = true;
    else if (name === "cellx") {
      if (table.edges.length < MOST_CELLS) {
        table.edges.push(number);
        table.goesOn.push(isBelow);
      }
      isBelow = false;
    }
  };

  let isOptional = false;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(whole); token; token = TOKEN.exec(whole)) {
    const [, name, number, hex, symbol, brace, text] = token;
    if (hex !== undefined) {
      if (skip > 0) skip -= 1;
      else bytesAhead.push(Number.parseInt(hex, 16));
      continue;
    }
    if (text !== undefined) {
      const kept = text.slice(skip);
      skip = Math.max(0, skip - text.length);
      for (let i = 0; i < kept.length; i++) bytesAhead.push(kept.charCodeAt(i));
      if (entry && kept.includes(";")) {
        flush();
        if (entry.of === "fonts") fontNames.set(entry.number, entry.name.replace(/;.*$/s, "").trim());
        const heading = /^\s*(?:heading (\d)|(title))\s*;/i.exec(entry.name);
        if (heading) headings.set(entry.number, Number(heading[1] ?? 1));
        entry.name = "";
        entry.number = 0;
      }
      continue;
    }
    if (name === "u") {
      flush();
      const code = ((Number(number) % 65_536) + 65_536) % 65_536;
      add(code >= 0xf000 && code <= 0xf0ff ? sign(code) : String.fromCharCode(code));
      skip = state.standIns;
      continue;
    }
    if (symbol === "*") {
      isOptional = true;
      continue;
    }
    if (name !== undefined || symbol !== undefined || brace !== undefined) {
      flush();
      skip = 0;
    }
    if (brace === "{") {
      if (above.length > DEEPEST) throw new Error("Its groups are nested too deep. Save it as .docx, or as PDF.");
      above.push(state);
      state = { ...state };
    } else if (brace === "}") close();
    else if (name === "bin") TOKEN.lastIndex += Math.max(0, Number(number ?? 0));
    else if (name !== undefined) word(name, number === undefined ? undefined : Number(number), isOptional);
    else if (symbol === "~") add("\u00a0");
    else if (symbol === "_") add("-");
    else if (symbol === "\n" || symbol === "\r") end(state.isInTable ? "in a cell" : "text");
    else if (symbol === "\\" || symbol === "{" || symbol === "}") add(symbol);
    isOptional = false;
  }
  flush();
  while (above.length > 0) close();
  if (body.runs.length > 0 || body.beside.length > 0) end("text");
  const parts = [...edges.header, inBlocks(body.paragraphs, spend), ...boxes, ...edges.footer];
  return { text: parts.filter(Boolean).join("\n\n"), info };
}

const storyOf = (name: string): Story => ({ name, paragraphs: [], runs: [], beside: [], number: undefined });

const FORM = new Set("formfield fftype ffres ffdefres".split(" "));
/** The state of a check box that nobody has touched. */
const UNDECIDED = 25;
const MOST_CELLS = 1_000;
const DEEPEST = 1_000;

const CHARACTERS: Readonly<Record<string, string>> = {
  line: "\n",
  tab: " ",
  emdash: "—",
  endash: "–",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
};

/** Stands for the letters of symbol fonts. */
const SYMBOLS = -2;

/** The code pages of the character sets of fonts. */
const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  2: SYMBOLS,
  77: 10_000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** Returns the HTML that Outlook packs into RTF (MS-OXRTFEX); empty if there is none. */
export function htmlInRtf(bytes: Uint8Array): string {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  if (!/\\fromhtml1/.test(whole.slice(0, 2_000))) return "";
  const page = Number(/\\ansicpg(\d+)/.exec(whole)?.[1] ?? 1252);
  let html = "";
  let ahead: number[] = [];
  let skip = 0;
  let state = { isOut: false, isRtf: false, isTag: false, standIns: 1 };
  const above: (typeof state)[] = [];
  let isOptional = false;
  const isShown = () => !state.isOut && (!state.isRtf || state.isTag);
  const flush = () => {
    html += inCodePage(Uint8Array.from(ahead), page);
    ahead = [];
  };
  const add = (text: string) => {
    flush();
    if (isShown()) html += text;
  };
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(whole); token; token = TOKEN.exec(whole)) {
    const [, name, number, hex, symbol, brace, text] = token;
    if (hex !== undefined) {
      if (skip > 0) skip -= 1;
      else if (isShown()) ahead.push(Number.parseInt(hex, 16));
    } else if (text !== undefined) {
      const kept = text.slice(skip);
      skip = Math.max(0, skip - text.length);
      if (isShown()) for (let i = 0; i < kept.length; i++) ahead.push(kept.charCodeAt(i));
    } else if (brace === "{") {
      if (above.length > DEEPEST) return "";
      above.push(state);
      state = { ...state };
    } else if (brace === "}") {
      flush();
      state = above.pop() ?? state;
    } else if (name === "u") {
      add(String.fromCharCode(((Number(number) % 65_536) + 65_536) % 65_536));
      skip = state.standIns;
      continue;
    } else if (name === "uc") state.standIns = Number(number ?? 1);
    else if (name === "htmlrtf") state.isRtf = number !== "0";
    else if (name === "htmltag") state.isTag = true;
    else if (name !== undefined && (isOptional || HEAD.has(name))) state.isOut = true;
    else if (name === "par" || name === "line") add("\n");
    else if (name === "tab") add("\t");
    else if (name !== undefined && name in CHARACTERS) add(CHARACTERS[name] ?? "");
    else if (symbol !== undefined && /[\\{}]/.test(symbol)) add(symbol);
    else if (symbol === "~") add("\u00a0");
    if (symbol !== "*" && token[0].trim() !== "") {
      if (hex === undefined && text === undefined) skip = 0;
      isOptional = false;
    } else if (symbol === "*") isOptional = true;
  }
  flush();
  return html;
}

const HEAD = new Set("fonttbl colortbl stylesheet info pict".split(" "));
