import { attribute, type HtmlTree, isElement, type TreeElement } from "./html-tree.js";
import type { Raised } from "./page-line.js";

/** How the letters of elements look, as far as it changes what they say. */
export interface Looks {
  isStruck(element: TreeElement): boolean;
  raised(element: TreeElement): Raised | undefined;
}

/** Reads looks from tags, from `style` attributes, and from those rules of the page that have a simple selector. */
export function looksOf($: HtmlTree): Looks {
  const rules = rulesIn($);
  const having = (look: RegExp) => {
    const named = elementsOf($, rules, look);
    return (element: TreeElement) => named.has(element) || look.test(attribute(element, "style"));
  };
  const [isStruck, isSuper, isSub] = [having(STRUCK), having(SUPER), having(SUB)];
  return {
    isStruck: (element) => STRUCK_TAGS.has(element.name) || isStruck(element),
    raised(element) {
      if (element.name === "sup" || isSuper(element)) return "sup";
      return element.name === "sub" || isSub(element) ? "sub" : undefined;
    },
  };
}

const STRUCK_TAGS: ReadonlySet<string> = new Set(["s", "strike", "del"]);
const STRUCK = /(?:^|[;\s])text-decoration(?:-line)?\s*:[^;]*line-through/i;
const SUPER = /(?:^|[;\s])vertical-align\s*:\s*super/i;
const SUB = /(?:^|[;\s])vertical-align\s*:\s*sub\b/i;

interface Rule {
  selectors: string;
  style: string;
}

function rulesIn($: HtmlTree): Rule[] {
  const css = $("style")
    .toArray()
    .map((element) => $(element).text())
    .join("\n")
    .slice(0, LONGEST)
    .split("/*")
    .map((part, i) => (i === 0 ? part : part.slice(part.indexOf("*/") + 2)))
    .join("");
  return css.split("}").map((rule) => {
    const [style = "", selectors = ""] = rule.split("{").reverse();
    return { selectors, style };
  });
}

/** In characters. */
const LONGEST = 500_000;

function elementsOf($: HtmlTree, rules: readonly Rule[], look: RegExp): ReadonlySet<TreeElement> {
  const selectors = rules.flatMap(({ selectors, style }) => (look.test(style) ? selectors.split(",") : []));
  const simple = [...new Set(selectors.map((name) => name.trim()))].filter((name) => SIMPLE.test(name));
  return new Set(simple.slice(0, MOST).flatMap((name) => $(name).toArray().filter(isElement)));
}

/** Such as `.old`, `#old`, `td.old`, `span`. */
const SIMPLE = /^(?:[a-z][a-z0-9]{0,20}|(?:[a-z][a-z0-9]{0,20})?(?:[.#][a-z_][\w-]{0,100}){1,3})$/i;
/** Each selector takes a walk through the page. */
const MOST = 50;
