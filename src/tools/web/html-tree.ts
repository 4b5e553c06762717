import { isUtf8 } from "node:buffer";
import { type CheerioAPI, load } from "cheerio";
import { decode } from "../../text/decode.js";
import { superscript } from "../../text/marks.js";

/** A node of an HTML or XML document: an element, a text, or what is not shown, such as a comment. */
export type TreeNode = ReturnType<ReturnType<CheerioAPI["root"]>["contents"]>[number];
export type TreeElement = Extract<TreeNode, { attribs: unknown }>;
/** A page, of which `$(selector)` gives the elements in document order. */
export type HtmlTree = CheerioAPI;
/** An element or the whole document. */
export type TreeParent = NonNullable<TreeNode["parent"]>;

/**
 * Parses a page as a browser does. Shadow trees and frames that are written in the page become part of it. Elements
 * deeper than 300 levels become siblings, so that recursion is safe.
 */
export function parseHtml(page: string): HtmlTree {
  const $ = load(page);
  visitAll($.root()[0] as TreeParent, (element) => {
    if (element.name === "iframe") unfoldFrame(element);
    else unfoldShadow(element);
  });
  return $;
}

/** Replaces a frame by the page that its `srcdoc` holds. */
function unfoldFrame(frame: TreeElement): void {
  const { srcdoc, width, height } = frame.attribs;
  if (srcdoc === undefined || isPoint(width) || isPoint(height)) return;
  frame.name = "div";
  adopt(frame, [...load(srcdoc)("body").contents()]);
}

/** Gives an element the content of its shadow tree (`<template shadowrootmode>`), with its own children in the slots. */
function unfoldShadow(host: TreeElement): void {
  const isShadow = (node: TreeNode): node is TreeElement =>
    isElement(node) && node.name === "template" && /^(?:open|closed)$/i.test(node.attribs.shadowrootmode ?? "");
  const template = host.children.find(isShadow);
  if (!template || !(host.name.includes("-") || HOSTS.has(host.name))) return;
  const own = Map.groupBy(host.children, (node) => (isElement(node) ? (node.attribs.slot ?? "") : ""));
  const content = template.children.flatMap((node) => (!isElement(node) && "children" in node ? node.children : node));
  const ahead = [...content];
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    if (!isElement(node) || node.name === "template") continue;
    const slotted = node.name === "slot" ? own.get(node.attribs.name ?? "") : undefined;
    if (slotted?.some((each) => !isText(each) || each.data.trim() !== "")) {
      own.delete(node.attribs.name ?? "");
      adopt(
        node,
        slotted.filter((each) => each !== template),
      );
    } else for (const child of node.children) ahead.push(child);
  }
  adopt(host, content);
}

function adopt(parent: TreeElement, children: TreeElement["children"]): void {
  parent.children = children;
  for (const child of children) child.parent = parent;
}

/** True for the size of what cannot be seen, such as the picture by which a mail is tracked. */
export const isPoint = (size = ""): boolean => /^\s*[01](?:px)?\s*$/.test(size);

/**
 * Parses XML, even if it is broken or incomplete. Decodes only the five predefined entities, so that no entity can
 * expand to a large text. Elements deeper than 300 levels become siblings, so that recursion is safe. Names lose their
 * prefix; each attribute is listed with and without its prefix.
 */
export function parseXml(xml: string): TreeParent {
  const document = load(xml, { xml: true }).root()[0] as TreeParent;
  visitAll(document, (element) => {
    element.name = local(element.name);
    for (const [name, value] of Object.entries(element.attribs)) element.attribs[local(name)] ??= value;
    if (element.children.some(isCdata))
      element.children = element.children.flatMap((child) => (isCdata(child) ? child.children : child));
  });
  return document;
}

const local = (name: string) => name.slice(name.indexOf(":") + 1);

const isCdata = (node: TreeNode) => node.nodeType === 4;

export const isElement = (node: TreeNode): node is TreeElement => "attribs" in node;

export const isText = (node: TreeNode): node is Extract<TreeNode, { type: "text" }> => node.nodeType === 3;

function visitAll(document: TreeParent, visit: (element: TreeElement) => void): void {
  const ahead: [parent: TreeParent, depth: number][] = [[document, 0]];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    const [parent, depth] = next;
    if (depth === DEEPEST) flatten(parent);
    for (const child of parent.children) {
      if (!isElement(child)) continue;
      visit(child);
      ahead.push([child, depth + 1]);
    }
  }
}

const DEEPEST = 300;

/** Makes all nodes below an element its children, in document order. */
function flatten(top: TreeParent): void {
  const nodes: TreeNode[] = [];
  const ahead = top.children.toReversed();
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    nodes.push(node);
    node.parent = top;
    if (!isElement(node)) continue;
    for (const child of node.children.toReversed()) ahead.push(child);
    node.children = [];
  }
  top.children = nodes;
}

/** Returns a trimmed attribute of at most 4,000 characters, or an empty string. */
export const attribute = ({ attribs }: Pick<TreeElement, "attribs">, name: string) =>
  attribs[name]?.slice(0, MAX_ATTRIBUTE).trim() ?? "";

const MAX_ATTRIBUTE = 4_000;

/** True if an element is inline. Custom elements count as inline; elements that hold blocks never do. */
export const isInline = (element: TreeElement) => isInlineName(element.name) && !holdsBlocks(element);

const isInlineName = (name: string) => INLINE.has(name) || name.includes("-");

const holdsBlocks = ({ children }: TreeElement): boolean =>
  children.some(
    (child) => isElement(child) && !IN_LINE.has(child.name) && (!isInlineName(child.name) || holdsBlocks(child)),
  );

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** The elements besides custom ones that can have a shadow tree. */
const HOSTS = names("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");

const INLINE = names(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr output q rb ruby s samp slot small span strike strong sub sup time tt u var wbr",
);

/** Elements whose content is not displayed as text, or not part of it, such as pronunciations (`rt`). */
const WITHOUT_TEXT = names(
  "annotation annotation-xml applet area audio base br button canvas col colgroup datalist dialog embed frame frameset head iframe img input link map menuitem meta meter mphantom noembed noframes noscript object optgroup option param picture portal progress rp rt rtc script select source style svg template textarea title track video xmp",
);

/** Elements that are part of their line, whatever they hold. */
const IN_LINE = WITHOUT_TEXT.union(new Set(["math"]));

/**
 * True if the markup shows that an element is invisible: it is not text, or hidden by an attribute or style, or its
 * letters have no size or the colour of the background. Prompt injections are hidden like that.
 */
export const isUnseen = (element: TreeElement): boolean => WITHOUT_TEXT.has(element.name) || isHidden(element);

/** The same for elements of any kind, such as pictures. */
export function isHidden(element: Pick<TreeElement, "attribs">): boolean {
  const { attribs } = element;
  if (attribs.hidden !== undefined && attribs.hidden.trim() !== "until-found") return true;
  if (attribute(element, "aria-hidden") === "true") return true;
  const style = attribute(element, "style").toLowerCase();
  return style !== "" && isStyledAway(style.replace(/\/\*.*?\*\/|\s+|!important/g, ""));
}

/**
 * Returns a formula (MathML) on one line, in TeX if that is given, else as the displayed letters and numbers. TeX is not
 * displayed, so it could hide orders: it is used only if its words are displayed too.
 */
export function formulaIn($: HtmlTree, math: TreeElement): string {
  const tex = $(math).find("[encoding='application/x-tex']").first().text();
  const shown = shownIn(math);
  const letters = shown.join("").replace(/\s+/g, "");
  const words = tex.replace(TEX_COMMAND, " ").match(/\p{L}{2,}/gu) ?? [];
  const isShown = tex !== "" && tex.length <= MAX_ATTRIBUTE && words.every((word) => letters.includes(word));
  return (isShown ? tex : shown.join(" ")).replace(/\s+/g, " ").trim();
}

const shownIn = (element: TreeElement): string[] =>
  element.children.flatMap((child) => {
    if (isText(child)) return child.data;
    if (!isElement(child) || isUnseen(child)) return [];
    const [base, other, more] = child.children.filter(isElement).map((each) => shownIn(each).join(" ").trim());
    if (base === undefined || other === undefined) return shownIn(child);
    if (child.name === "msup") return `${base}${superscript(other)}`;
    if (child.name === "msubsup" && more !== undefined) return `${base}_${other}${superscript(more)}`;
    return child.name === "mfrac" ? `${asOne(base)}/${asOne(other)}` : shownIn(child);
  });

const asOne = (term: string) => (/\s/.test(term) ? `(${term})` : term);

const TEX_COMMAND = /\\(?:begin|end)\{\w*\*?\}|\\[a-z]+/gi;

/** True for superscript text that is a link to a footnote: in "1990²", the year has no exponent. */
export function isNoteMark(raised: TreeElement): boolean {
  const { parent } = raised;
  const [only, ...more] = filled(raised);
  if (only && more.length === 0 && isElement(only) && leadsToNote(only)) return true;
  return parent !== null && isElement(parent) && leadsToNote(parent) && filled(parent).length === 1;
}

const filled = ({ children }: TreeElement) => children.filter((child) => !isText(child) || child.data.trim() !== "");

const leadsToNote = (link: TreeElement): boolean =>
  link.name === "a" &&
  (attribute(link, "href").includes("#") || /noteref/.test(`${link.attribs.role} ${link.attribs["epub:type"]}`));

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
  for (const element of parseHtml(start)("head meta")) {
    const isType = attribute(element, "http-equiv").toLowerCase() === "content-type";
    labels.push(attribute(element, "charset") || (isType ? charsetIn(attribute(element, "content")) : ""));
  }
  // Markup that could be read as Latin-1 is not UTF-16, whatever it declares.
  return labels.map((label) => label.toLowerCase()).filter((label) => label !== "" && !label.startsWith("utf-16"));
}

/** The number of bytes searched for declarations: a head can begin with long scripts. */
const FAR_ENOUGH = 64 * 1024;

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1] ?? "";
