import { checkBox } from "../../text/marks.js";
import { attribute, type HtmlTree, isElement, isHidden, isPoint, type TreeElement } from "./html-tree.js";

/** What elements show that is not text in the markup: check boxes, the fields of forms, and pictures by their words. */
export interface Controls {
  /** True if the element shows that it is checked, false if it shows that it is not; undefined for anything else. */
  checked(element: TreeElement): boolean | undefined;
  /** The check box of a label. */
  boxOf(label: TreeElement): TreeElement | undefined;
}

export function controlsOf($: HtmlTree): Controls {
  let named: Map<string, TreeElement> | undefined;
  const inputs = () => {
    named ??= new Map(
      $("input[id]")
        .toArray()
        .map((input) => [attribute(input, "id"), input]),
    );
    return named;
  };
  return {
    checked(element) {
      const isChecked = checkedOf(element);
      return isChecked === undefined || isHidden(element) ? undefined : isChecked;
    },
    boxOf(label) {
      const box = inputs().get(attribute(label, "for")) ?? $(label).find("input")[0];
      return box && checkedOf(box) !== undefined && !isHidden(box) ? box : undefined;
    },
  };
}

function checkedOf(element: TreeElement): boolean | undefined {
  const { name, attribs, parent } = element;
  const kind = attribute(element, "type").toLowerCase();
  if (name === "input" && (kind === "checkbox" || kind === "radio"))
    return WIDGET.test(`${attribs.class} ${attribs.id} ${attribs.name}`) ? undefined : attribs.checked !== undefined;
  const said = [attribs["aria-checked"], attribs["data-checked"], name === "en-todo" ? attribs.checked : undefined];
  const value = said.find((each) => each === "true" || each === "false");
  if (value !== undefined) return name === "ul" ? undefined : value === "true";
  const around = parent && isElement(parent) ? parent.attribs : {};
  if (name === "li" && /^(?:un)?checked$/.test(attribs["data-list"] ?? "")) return attribs["data-list"] === "checked";
  // Older Quill, then Confluence.
  if (name === "li" && around["data-checked"] !== undefined) return around["data-checked"] === "true";
  if (name === "li" && /\binline-task-list\b/.test(around.class ?? "")) return /\bchecked\b/.test(attribs.class ?? "");
  // Notion.
  const box = /\bcheckbox-(on|off)\b/.exec(attribs.class ?? "")?.[1];
  return box === undefined ? undefined : box === "on";
}

/** Names of boxes that open menus, tabs and the like in pages without scripts. They are no content. */
const WIDGET = /(?:^|[-_\s])_*(?:tab|tabs|tabbed|toggle|accordion|drawer|menu|nav|collapse)(?:$|[-_\s])/i;

/** Returns what a task of Confluence's storage format says of itself. */
export const statusMark = (words: string): string =>
  /^\s*(?:in)?complete\s*$/.test(words) ? ` ${checkBox(!words.includes("in"))} ` : "";

/**
 * Returns the words that an element without text shows: the value of a field, the chosen options of a list, the
 * alternative text of a picture, the title and description of a drawing. Empty for anything else. Not for check boxes.
 */
export function shownBy($: HtmlTree, element: TreeElement): string {
  const { name, attribs } = element;
  const label = attribute(element, "aria-label");
  const isPicture = label !== "" && (attribs.role === "img" || name === "i" || name === "span");
  if ((!isPicture && !SHOWING.has(name)) || isHidden(element)) return "";
  if (name === "input") return FIELDS.has(attribute(element, "type").toLowerCase()) ? attribute(element, "value") : "";
  if (name === "select") return textsOf($, element, "option[selected]").join(", ");
  if (name === "img") {
    const isShown = [attribs.src, attribs.srcset, attribs["data-src"]].some((source) => source?.trim());
    return isShown && !isPoint(attribs.width) && !isPoint(attribs.height) ? saying(attribute(element, "alt")) : "";
  }
  if (name === "svg") return label || textsOf($, element, "> title, > desc").join(". ").slice(0, LONGEST);
  return $(element).text().trim() === "" ? label : "";
}

const SHOWING: ReadonlySet<string> = new Set(["input", "select", "img", "svg"]);

/** In characters. */
const LONGEST = 4_000;

const textsOf = ($: HtmlTree, element: TreeElement, selector: string) =>
  $(element)
    .find(selector)
    .toArray()
    .map((each) => $(each).text().trim());

/** Text fields. A password, a hidden field and the words on a button are no text of the page. */
const FIELDS: ReadonlySet<string> = new Set(
  ",text,email,number,tel,url,date,time,month,week,datetime-local,range".split(","),
);

/** Not the name of a file. */
const saying = (words: string) => (/^\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(words) ? "" : words);
