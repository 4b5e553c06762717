import { attribute, type HtmlTree, isElement, isHidden, type TreeElement, type TreeNode } from "./html-tree.js";

/** The parts of a page that a click shows or hides. */
export interface Panels {
  /** Panels that are hidden, but that a reader can open by a tab or a button that is displayed. */
  readonly opened: ReadonlySet<TreeElement>;
  /** The words on the tab of a panel. */
  readonly labels: ReadonlyMap<TreeElement, string>;
  /** Buttons that open a panel of text. Their words are its heading. */
  readonly buttons: ReadonlySet<TreeElement>;
}

/**
 * Finds the panels of tabs and accordions, by the attributes for screen readers. Text that nothing on the page opens stays
 * hidden: instructions to a model are hidden like that.
 */
export function panelsOf($: HtmlTree): Panels {
  const opened = new Set<TreeElement>();
  const labels = new Map<TreeElement, string>();
  const buttons = new Set<TreeElement>();
  if (elements($, "[role=tabpanel], [role=tab], [aria-expanded]").length === 0) return { opened, labels, buttons };
  const named = new Map<string, TreeElement>();
  for (const element of elements($, "[id]").toReversed()) named.set(attribute(element, "id"), element);
  const textOf = (element: TreeElement) => $(element).text().replace(/\s+/g, " ").trim();

  const shownTabs = new Set<TreeElement>();
  for (const tab of elements($, "[role=tab]")) {
    const panel = named.get(attribute(tab, "aria-controls"));
    if (!panel || !isDisplayed(tab) || panel === tab) continue;
    shownTabs.add(panel);
    if (textOf(tab) !== "") labels.set(panel, textOf(tab).slice(0, LONGEST_LABEL));
  }
  const panels = elements($, "[role=tabpanel]");
  const beside = new Set(panels.filter((panel) => !isHidden(panel)).map(({ parent }) => parent));
  for (const panel of panels) {
    const tab = named.get(attribute(panel, "aria-labelledby"));
    if (tab && tab.attribs.role === "tab" && isDisplayed(tab) && textOf(tab) !== "") {
      labels.set(panel, textOf(tab).slice(0, LONGEST_LABEL));
      shownTabs.add(panel);
    }
    if (isOnlyClosed(panel) && (shownTabs.has(panel) || beside.has(panel.parent))) opened.add(panel);
  }

  const reads = new Map<TreeElement, boolean>();
  for (const button of elements($, "[aria-expanded]")) {
    const panel = named.get(attribute(button, "aria-controls")) ?? panelAfter(button);
    if (!panel || button.attribs["aria-haspopup"] !== undefined || !isDisplayed(button)) continue;
    if (!reads.has(panel)) reads.set(panel, !MENU.test(`${panel.name} ${panel.attribs.role}`) && !isOfLinks($, panel));
    if (!reads.get(panel)) continue;
    if (isOnlyClosed(panel)) opened.add(panel);
    if (button.name === "button") buttons.add(button);
  }
  return { opened, labels, buttons };
}

/** In characters. */
const LONGEST_LABEL = 100;

const elements = ($: HtmlTree, selector: string): TreeElement[] => $(selector).toArray().filter(isElement);

/** True if an element is hidden in a way that scripts use to open and close it. */
function isOnlyClosed(panel: TreeElement): boolean {
  const style = attribute(panel, "style").replace(/(?:^|;)\s*display\s*:\s*none\s*(?:!important)?\s*(?=;|$)/i, ";");
  return isHidden(panel) && !isHidden({ attribs: { style } });
}

/** True if neither an element nor one around it is hidden. */
function isDisplayed(element: TreeElement): boolean {
  for (let up: TreeNode["parent"] | TreeElement = element; up; up = up.parent)
    if (isElement(up) && isHidden(up)) return false;
  return true;
}

/** Returns the element after a button, or after the heading that is all button. */
function panelAfter(button: TreeElement): TreeElement | undefined {
  if (button.attribs["aria-controls"] !== undefined) return undefined;
  let from: TreeElement = button;
  for (let up = from.parent; up && isElement(up) && isOnly(from, up); up = up.parent) from = up;
  let next = from.next;
  while (next && !isElement(next)) next = next.next;
  return next ?? undefined;
}

const isOnly = (child: TreeElement, { name, children }: TreeElement) =>
  /^(?:h[1-6]|dt|div)$/.test(name) && children.every((each) => each === child || !isElement(each));

const MENU = /\b(?:nav|menu|menubar|navigation|listbox|dialog|tree|tooltip)\b/;

const isOfLinks = ($: HtmlTree, panel: TreeElement) =>
  $(panel).find("a").text().length * 2 > $(panel).text().replace(/\s+/g, " ").length;
