import { Parser } from "htmlparser2";

/** An element of an XML document. Its name has no prefix. Each attribute is listed with and without its prefix. */
export interface Xml {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Xml | string)[];
}

/**
 * Parses XML, even if it is broken or incomplete. Decodes only the five predefined entities, so that no entity can
 * expand to a large text. Elements deeper than 200 levels become siblings, so that recursion is safe.
 */
export function parseXml(text: string): Xml {
  const root: Xml = { name: "", attributes: {}, children: [] };
  const open: Xml[] = [root];
  const parser = new Parser(
    {
      onopentag(name, given) {
        const attributes: Record<string, string> = {};
        for (const [key, value] of Object.entries(given)) {
          attributes[key] = value;
          attributes[local(key)] ??= value;
        }
        const element = { name: local(name), attributes, children: [] };
        (open[Math.min(open.length, DEEPEST) - 1] ?? root).children.push(element);
        open.push(element);
      },
      ontext: (data) => (open[Math.min(open.length, DEEPEST) - 1] ?? root).children.push(data),
      onclosetag: () => open.length > 1 && open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(text);
  return root;
}

const DEEPEST = 200;

/** Returns a name without its prefix. */
export const local = (name: string) => name.slice(name.indexOf(":") + 1);

const isElement = (node: Xml | string | undefined): node is Xml => typeof node === "object";

/** Returns the child elements, or only those with the given name. */
export const childrenOf = (element: Xml | undefined, name?: string): Xml[] =>
  (element?.children ?? []).filter(isElement).filter((child) => name === undefined || child.name === name);

/** Returns the first element at a path of names below an element. */
export const at = (element: Xml | undefined, ...path: string[]): Xml | undefined =>
  path.reduce<Xml | undefined>((from, name) => childrenOf(from, name)[0], element);

/** Returns the descendants with this name, in order, but not those inside one of them. */
export function descendants(element: Xml | undefined, name: string): Xml[] {
  return childrenOf(element).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));
}

/** Returns a copy of an element without the descendants that are out. */
export const without = (element: Xml, isOut: (child: Xml) => boolean): Xml => ({
  ...element,
  children: element.children
    .filter((child) => !isElement(child) || !isOut(child))
    .map((child) => (isElement(child) ? without(child, isOut) : child)),
});

/** Returns all text in an element. */
export const textOf = (element: Xml | undefined): string =>
  (element?.children ?? []).map((child) => (typeof child === "string" ? child : textOf(child))).join("");
