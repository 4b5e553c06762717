import type { DefaultTreeAdapterTypes as Dom } from "parse5";
import { isHidden } from "../tools/page-reader/hidden.js";

/** Every element below a node, in the order of the page. */
export function* elementsIn(node: Dom.ParentNode): Generator<Dom.Element> {
  for (const each of descendants(node)) if ("tagName" in each) yield each;
}

/** The words of an element that a reader sees, on one line. */
export const wordsOf = (element: Dom.Element) => [...textsIn(element, " ")].join("").replace(/\s+/g, " ").trim();

/** The pieces of text below an element, as written; `between` stands for elements that set words apart. */
export function* textsIn(element: Dom.Element, between = ""): Generator<string> {
  for (const each of descendants(element, (child) => !isLeftOut(child, true))) {
    if ("value" in each) yield each.value;
    else if (each.nodeName === "br") yield between === "" ? "\n" : between;
    else if ("tagName" in each && !INLINE.has(each.tagName)) yield between;
  }
}

export const attribute = (element: Dom.Element, name: string) =>
  element.attrs.find((each) => each.name === name)?.value.trim() ?? "";

/** Whether a reader never sees the element, or it belongs to the site and not to the page. */
export function isLeftOut(element: Dom.Element, framed: boolean): boolean {
  if (LEFT_OUT.has(element.tagName)) return true;
  if (!framed && (element.tagName === "header" || element.tagName === "footer")) return true;
  if (element.attrs.length > 0 && isHidden((name) => element.attrs.find((each) => each.name === name)?.value))
    return true;
  return element.tagName === "sup" && isNoteMark(element);
}

/** A raised link to a place on the same page is the mark of a note: "in 1990²" is no number of five digits. */
function isNoteMark({ childNodes }: Dom.Element): boolean {
  const links = childNodes.filter((child) => !("value" in child) || child.value.trim() !== "");
  return links.length > 0 && links.every((child) => "tagName" in child && isNoteLink(child));
}

const isNoteLink = (element: Dom.Element) => element.tagName === "a" && attribute(element, "href").startsWith("#");

/** Inside these, header and footer are the text's own. */
export const FRAMES = new Set(["article", "main"]);

/** Elements that stand inside a line. */
export const INLINE = new Set(
  "a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);

const LEFT_OUT = new Set(
  "aside audio button canvas del dialog embed form frameset head iframe img input map math menu nav noscript object optgroup option picture rp rt rtc s script select strike style svg template textarea title video".split(
    " ",
  ),
);

/** Keeps a stack of its own: pages can be nested deeper than functions can. */
function* descendants(node: Dom.ParentNode, enter = (_element: Dom.Element) => true): Generator<Dom.ChildNode> {
  const ahead = node.childNodes.toReversed();
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    if ("tagName" in next && !enter(next)) continue;
    yield next;
    if ("childNodes" in next) for (const child of next.childNodes.toReversed()) ahead.push(child);
  }
}
