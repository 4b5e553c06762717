import { decodeHTML, decodeHTMLAttribute } from "entities";

/** What hears of the parts of a page, in their order. */
export interface Listener {
  start(name: string, attributes: Attributes, selfClosing: boolean): void;
  end(name: string): void;
  text(text: string): void;
}

/** The attributes that say something about the text; values are cut at 4,000 characters. */
export type Attributes = ReadonlyMap<string, string>;

/**
 * Cuts HTML into tags and text as a browser does, and never looks at a character more than a few times: no markup can
 * hold it up. Comments, doctypes and the like are passed over. What is between `<script>` and its end comes as one text,
 * also for the other elements that hold no markup.
 */
export function tokenize(html: string, listener: Listener): void {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) break;
    const next = html.charCodeAt(open + 1);
    const isEnd = next === SLASH;
    if (isLetter(isEnd ? html.charCodeAt(open + 2) : next)) {
      if (open > at) listener.text(decoded(html.slice(at, open)));
      at = tag(html, open, isEnd, listener);
    } else if (next === BANG || next === QUESTION || isEnd) {
      if (open > at) listener.text(decoded(html.slice(at, open)));
      at = afterComment(html, open);
    } else {
      listener.text(decoded(html.slice(at, open + 1)));
      at = open + 1;
    }
  }
  if (at < html.length) listener.text(decoded(html.slice(at)));
}

/** Reads the tag that begins at `open`; returns where the page goes on. */
function tag(html: string, open: number, isEnd: boolean, listener: Listener): number {
  NAME.lastIndex = open + (isEnd ? 2 : 1);
  const name = (NAME.exec(html)?.[0] ?? "").slice(0, LONGEST_NAME).toLowerCase();
  const found = attributesFrom(html, NAME.lastIndex);
  if (isEnd) {
    listener.end(name);
    return found.end;
  }
  listener.start(name, found.attributes, found.selfClosing);
  const raw = RAW[name];
  if (!raw || found.end >= html.length) return found.end;
  raw.lastIndex = found.end;
  const close = raw.exec(html)?.index ?? html.length;
  const inner = html.slice(found.end, close);
  if (inner !== "") listener.text(name === "title" || name === "textarea" ? decoded(inner) : inner);
  if (close === html.length) listener.end(name);
  return close;
}

function attributesFrom(html: string, from: number): { attributes: Attributes; selfClosing: boolean; end: number } {
  let attributes: Map<string, string> | undefined;
  let at = from;
  let selfClosing = false;
  for (;;) {
    GAP.lastIndex = at;
    at += GAP.exec(html)?.[0].length ?? 0;
    if (at >= html.length) return { attributes: attributes ?? NONE, selfClosing, end: html.length };
    if (html.charCodeAt(at) === GREATER) {
      selfClosing = html.charCodeAt(at - 1) === SLASH;
      return { attributes: attributes ?? NONE, selfClosing, end: at + 1 };
    }
    ATTRIBUTE.lastIndex = at;
    const name = (ATTRIBUTE.exec(html)?.[0] ?? "=").slice(0, LONGEST_NAME).toLowerCase();
    at = Math.max(at + 1, ATTRIBUTE.lastIndex);
    EQUALS.lastIndex = at;
    const equals = EQUALS.exec(html)?.[0].length ?? 0;
    let value = "";
    if (equals > 0) {
      at += equals;
      const quote = html[at] ?? "";
      if (quote === '"' || quote === "'") {
        const close = html.indexOf(quote, at + 1);
        const end = close < 0 ? html.length : close;
        value = html.slice(at + 1, Math.min(end, at + 1 + LONGEST_VALUE));
        at = end + 1;
      } else {
        UNQUOTED.lastIndex = at;
        const length = UNQUOTED.exec(html)?.[0].length ?? 0;
        value = html.slice(at, at + Math.min(length, LONGEST_VALUE));
        at += length;
      }
    }
    if (!KEPT.has(name)) continue;
    attributes ??= new Map();
    if (!attributes.has(name)) attributes.set(name, value.includes("&") ? decodeHTMLAttribute(value) : value);
  }
}

function afterComment(html: string, open: number): number {
  if (html.startsWith("<!--", open)) {
    if (html.startsWith(">", open + 4)) return open + 5;
    if (html.startsWith("->", open + 4)) return open + 6;
    COMMENT_END.lastIndex = open + 4;
    return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : html.length;
  }
  if (html.startsWith("<![CDATA[", open)) {
    const close = html.indexOf("]]>", open);
    return close < 0 ? html.length : close + 3;
  }
  const close = html.indexOf(">", open);
  return close < 0 ? html.length : close + 1;
}

const decoded = (text: string) => (text.includes("&") ? decodeHTML(text) : text);

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

const SLASH = 47;
const BANG = 33;
const QUESTION = 63;
const GREATER = 62;
const LONGEST_NAME = 60;
const LONGEST_VALUE = 4000;
const NONE: Attributes = new Map();

const NAME = /[^\s/>]*/y;
const GAP = /[\s/]*/y;
const ATTRIBUTE = /=?[^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;
const COMMENT_END = /--!?>/g;

/** Elements that hold text and no markup, and how each ends. */
const RAW: Record<string, RegExp | undefined> = Object.fromEntries(
  "script style textarea title xmp iframe noembed noframes"
    .split(" ")
    .map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, "gi")]),
);

const KEPT = new Set(
  "id class style hidden aria-hidden aria-modal role href src lang xml:lang dir itemprop itemscope itemtype property name content rel datetime type colspan rowspan start http-equiv charset color bgcolor shadowrootmode open title width height aria-label cite value".split(
    " ",
  ),
);
