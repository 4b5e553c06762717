import type { TreeParent } from "../../tools/web/html-tree.js";
import { at, childrenOf, descendants, textOf } from "./archive.js";
import { type Item, inLine, listed, type SpendCharacters } from "./content.js";

/** Writes the texts of a diagram (SmartArt) as a list, each below the one that it hangs on. */
export function smartArt(root: TreeParent, spend: SpendCharacters): string {
  const model = at(root, "dataModel");
  const texts = new Map(
    childrenOf(at(model, "ptLst"), "pt").map((point) => {
      const paragraphs = descendants(at(point, "t"), "p").map((one) => descendants(one, "t").map(textOf).join(""));
      return [point.attribs.modelId ?? "", inLine(paragraphs.join(" "))];
    }),
  );
  const below = Map.groupBy(
    childrenOf(at(model, "cxnLst"), "cxn")
      .filter(({ attribs }) => (attribs.type ?? "parOf") === "parOf")
      .toSorted((a, b) => Number(a.attribs.srcOrd ?? 0) - Number(b.attribs.srcOrd ?? 0)),
    ({ attribs }) => attribs.srcId ?? "",
  );
  const items: Item[] = [];
  const add = (id: string, depth: number, levels = DEEPEST) => {
    const words = texts.get(id);
    if (words === undefined || levels === 0) return;
    texts.delete(id);
    if (words !== "") items.push({ words, depth });
    // The diagram itself and the shapes that only hold others have no words.
    for (const { attribs } of below.get(id) ?? [])
      add(attribs.destId ?? "", words === "" ? depth : depth + 1, levels - 1);
  };
  const isBelow = new Set([...below.values()].flat().map(({ attribs }) => attribs.destId));
  const ids = [...texts.keys()];
  for (const id of ids) if (!isBelow.has(id)) add(id, 0);
  for (const id of ids) add(id, 0);
  const text = listed(items);
  spend(text.length);
  return text;
}

const DEEPEST = 100;
