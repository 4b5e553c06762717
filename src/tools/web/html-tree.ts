import { isUtf8 } from "node:buffer";
import { type DefaultTreeAdapterTypes as Dom, html, parse } from "parse5";
import { decode } from "../../text/decode.js";

export interface HtmlElement {
  readonly name: string;
  /** Values are truncated to 4,000 characters. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: HtmlNode[];
  readonly parent: HtmlElement | undefined;
  /** True if it has a block-level element in it. */
  holdsBlocks: boolean;
}

export type HtmlNode = HtmlElement | string;

/**
 * Parses a page like a browser, without comments. Elements deeper than `DEEPEST` levels become siblings, so that
 * recursion is safe.
 */
export function parseTree(page: string): HtmlElement {
  const root = made("#root", [], undefined);
  const ahead: { node: Dom.ChildNode; parent: HtmlElement; depth: number }[] = [];
  const enter = ({ childNodes }: Dom.ParentNode, parent: HtmlElement, depth: number) => {
    for (const node of childNodes.toReversed()) ahead.push({ node, parent, depth });
  };
  enter(parse(page), root, 0);
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const { node, parent, depth } = next;
    if ("value" in node) parent.children.push(node.value);
    if (!("tagName" in node)) continue;
    const element = made(node.tagName, node.attrs, parent);
    parent.children.push(element);
    // Formulas and drawings are part of their line.
    if (node.namespaceURI === html.NS.HTML && !isOfLine(element.name))
      for (let up: HtmlElement | undefined = parent; up && !up.holdsBlocks; up = up.parent) up.holdsBlocks = true;
    enter(node, depth < DEEPEST ? element : parent, depth + 1);
  }
  return root;
}

const made = (name: string, attrs: Dom.Element["attrs"], parent: HtmlElement | undefined): HtmlElement => ({
  name,
  attributes: attrs.length === 0 ? NONE : new Map(attrs.map(({ name, value }) => [name, value.slice(0, LONGEST)])),
  children: [],
  parent,
  holdsBlocks: false,
});

const DEEPEST = 300;
const LONGEST = 4_000;
const NONE: HtmlElement["attributes"] = new Map();

/** Yields the descendants of an element in document order. */
export function* elementsBelow(root: HtmlElement): Generator<HtmlElement> {
  const ahead: HtmlNode[] = root.children.toReversed();
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === "string") continue;
    yield next;
    for (let i = next.children.length - 1; i >= 0; i--) ahead.push(next.children[i] ?? "");
  }
}

/** Returns a trimmed attribute, or an empty string. */
export const attribute = (element: HtmlElement, name: string) => element.attributes.get(name)?.trim() ?? "";

/** True if an element is inline. Custom elements count as inline; elements that hold blocks never do. */
export const isInline = (element: HtmlElement) =>
  !element.holdsBlocks && (INLINE.has(element.name) || element.name.includes("-"));

const isOfLine = (name: string) => INLINE.has(name) || name.includes("-") || WITHOUT_TEXT.has(name);

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const INLINE = names(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rb ruby s samp small span strike strong sub sup time tt u var wbr",
);

/** Elements whose content is not displayed as text, or not part of it: deleted text, and pronunciations (`rt`). */
const WITHOUT_TEXT = names(
  "annotation annotation-xml applet area audio base br button canvas col colgroup datalist del dialog embed frame frameset head iframe img input link map menuitem meta meter mphantom noembed noframes noscript object optgroup option param picture portal progress rp rt rtc s script select source strike style svg template textarea title track video xmp",
);

/**
 * True if the markup shows that an element is invisible: it is not text, or hidden by an attribute or style, or its
 * letters have no size or the colour of the background. Prompt injections are hidden like that.
 */
export function isUnseen(element: HtmlElement): boolean {
  const { name, attributes } = element;
  if (WITHOUT_TEXT.has(name)) return true;
  if (name === "sup" && isNoteMark(element)) return true;
  if (attributes.size === 0) return false;
  const hidden = attributes.get("hidden");
  if (hidden !== undefined && hidden.trim() !== "until-found") return true;
  if (attribute(element, "aria-hidden") === "true") return true;
  const style = attributes.get("style");
  return style !== undefined && isStyledAway(style.toLowerCase().replace(/\/\*.*?\*\/|\s+|!important/g, ""));
}

/**
 * Returns a formula (MathML) on one line, in TeX if that is given, else as the displayed letters and numbers. TeX is not
 * displayed, so it could hide orders: it is used only if its words are displayed too.
 */
export function formulaIn(math: HtmlElement): string {
  const shown: string[] = [];
  let tex = "";
  const ahead: HtmlNode[] = [math];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (typeof next === "string") shown.push(next);
    else if (attribute(next, "encoding") === "application/x-tex") tex ||= next.children.join("");
    else if (!isUnseen(next)) for (const child of next.children.toReversed()) ahead.push(child);
  }
  const letters = shown.join("").replace(/\s+/g, "");
  const words = tex.replace(TEX_COMMAND, " ").match(/\p{L}{2,}/gu) ?? [];
  const isShown = tex !== "" && tex.length <= LONGEST && words.every((word) => letters.includes(word));
  return (isShown ? tex : shown.join(" ")).replace(/\s+/g, " ").trim();
}

const TEX_COMMAND = /\\(?:begin|end)\{\w*\*?\}|\\[a-z]+/gi;

/** True for a superscript link within the page, which marks a footnote: "1990²" must not be read as 19902. */
function isNoteMark({ children }: HtmlElement): boolean {
  const [link, ...more] = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  return typeof link === "object" && more.length === 0 && link.name === "a" && attribute(link, "href").startsWith("#");
}

/** True if a style, in lower case and without spaces, hides its element. */
function isStyledAway(style: string): boolean {
  if (AWAY.test(style)) return true;
  const color = LETTERS.exec(style)?.[1];
  if (color === undefined) return false;
  const ground = GROUND.exec(style)?.[1] ?? "white";
  if (WHITE.test(color)) return WHITE.test(ground);
  return color === ground && !color.startsWith("var(") && color !== "inherit";
}

const AWAY =
  /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|opacity:0?\.?0*(?:%|;|$)|font-size:0?\.?0*(?:px|em|rem|pt|%|;|$)|font:[^;]*\b0(?:px|em|pt)[/ ;]|(?:max-)?(?:width|height):0(?:px)?;(?:.*;)?overflow(?:-[xy])?:hidden|overflow:hidden;(?:.*;)?(?:max-)?(?:width|height):[01](?:px)?(?:;|$)|text-indent:-\d{3,}|(?:left|right|top|bottom|margin-left|margin-top):-\d{4,}|clip:rect\((?:0|1px)[^)]*\)|clip-path:inset\((?:50|100)%|transform:scale\(0\)|color:transparent)/;
const LETTERS = /(?:^|;)color:([^;]+)/;
const GROUND = /(?:^|;)background(?:-color)?:([^;]+)/;
const WHITE = /^(?:white|#fff(?:f|fff|fffff)?|rgba?\(255,255,255(?:,[\d.]+)?\)|hsla?\(0,0%,100%(?:,[\d.]+)?\))$/;

/** Decodes a page. Some characters are replaced if its encoding cannot be determined. */
export function decodePage(bytes: Uint8Array, contentType = ""): string {
  try {
    return decode(bytes, declaredCharsets(bytes, contentType));
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Returns the encodings declared for a page, first by the server (`text/html; charset=gb2312`), then in the head, as a
 * browser reads it: not in comments, scripts or text. Empty if the bytes are valid UTF-8.
 */
export function declaredCharsets(bytes: Uint8Array, contentType = ""): string[] {
  if (isUtf8(bytes)) return [];
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, FAR_ENOUGH));
  const labels = [charsetIn(contentType), /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w-]+)/i.exec(start)?.[1] ?? ""];
  for (const element of elementsBelow(parseTree(start))) {
    if (element.name === "body") break;
    if (element.name !== "meta") continue;
    const isType = attribute(element, "http-equiv").toLowerCase() === "content-type";
    labels.push(attribute(element, "charset") || (isType ? charsetIn(attribute(element, "content")) : ""));
  }
  // Markup that could be read as Latin-1 is not UTF-16, whatever it declares.
  return labels.map((label) => label.toLowerCase()).filter((label) => label !== "" && !label.startsWith("utf-16"));
}

/** The number of bytes searched for declarations: a head can begin with long scripts. */
const FAR_ENOUGH = 64 * 1024;

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ?? "";
