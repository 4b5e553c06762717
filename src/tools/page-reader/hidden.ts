import { attribute, type Element, WITHOUT_TEXT } from "./tree.js";

/**
 * Whether a reader of the page never sees the element, as far as the markup tells: it is not text, it is marked or
 * styled as hidden, or its letters have no size or the colour of their ground. Orders to a model are hidden like that.
 */
export function isUnseen(element: Element): boolean {
  const { name, attributes } = element;
  if (WITHOUT_TEXT.has(name)) return !(name === "template" && attributes.has("shadowrootmode"));
  return (attributes.size > 0 && isHidden((name) => attributes.get(name))) || (name === "sup" && isNoteMark(element));
}

/** Whether an element with these attributes is marked or styled as hidden. */
export function isHidden(attribute: (name: string) => string | undefined): boolean {
  const hidden = attribute("hidden");
  if (hidden !== undefined && hidden.trim() !== "until-found") return true;
  if (attribute("aria-hidden")?.trim() === "true") return true;
  const style = attribute("style");
  return style !== undefined && isStyledAway(style.toLowerCase().replace(/\/\*.*?\*\/|\s+|!important/g, ""));
}

/** A raised link to a place on the same page is the mark of a note: "in 1990²" is no number of five digits. */
function isNoteMark({ children }: Element): boolean {
  const links = children.filter((child) => typeof child !== "string" || child.trim() !== "");
  return links.length > 0 && links.every((child) => typeof child !== "string" && isNoteLink(child));
}

const isNoteLink = (element: Element) => element.name === "a" && attribute(element, "href").startsWith("#");

/** Takes a style in lower case, without spaces. */
function isStyledAway(style: string): boolean {
  if (AWAY.test(style)) return true;
  const color = LETTERS.exec(style)?.[1];
  return color !== undefined && sameColor(color, GROUND.exec(style)?.[1] ?? "white");
}

const AWAY =
  /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|content-visibility:hidden|opacity:0?\.?0*(?:%|;|$)|font-size:0?\.?0*(?:px|em|rem|pt|%|;|$)|font:[^;]*\b0(?:px|em|pt)[/ ;]|(?:max-)?(?:width|height):0(?:px)?;(?:.*;)?overflow(?:-[xy])?:hidden|overflow:hidden;(?:.*;)?(?:max-)?(?:width|height):[01](?:px)?(?:;|$)|text-indent:-\d{3,}|(?:left|right|top|bottom|margin-left|margin-top):-\d{4,}|clip:rect\((?:0|1px)[^)]*\)|clip-path:inset\((?:50|100)%|transform:scale\(0\)|color:transparent)/;
const LETTERS = /(?:^|;)color:([^;]+)/;
const GROUND = /(?:^|;)background(?:-color)?:([^;]+)/;

const WHITE = /^(?:white|#fff(?:f|fff|fffff)?|rgba?\(255,255,255(?:,[\d.]+)?\)|hsla?\(0,0%,100%(?:,[\d.]+)?\))$/;

function sameColor(letters: string, ground: string): boolean {
  if (WHITE.test(letters)) return WHITE.test(ground);
  return letters === ground && !letters.startsWith("var(") && letters !== "inherit";
}
