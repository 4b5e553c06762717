import type { Passage } from "../../../types/evidence.js";
import type { Triple } from "../../knowledge/port.js";
import { entity, typeAt } from "./extractor-names.js";
import type { Stated } from "./extractor-outline.js";
import { bare, isPlain, isValue } from "./extractor-phrases.js";
import { isRelation } from "./extractor-relations.js";
import { isOneThing, split } from "./extractor-things.js";

/**
 * "Address: Quay 3" and 地址：码头3号 as said of the thing in the heading above. The word before the colon has to be one that
 * names a relation, else the pair may be a definition, a step or a remark. In lists the page's title will do for the thing.
 */
export function pairTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  return all.flatMap(({ text, kind, headings }) => {
    if (kind !== "item" && kind !== "prose") return [];
    const [, key = "", value = ""] = PAIR.exec(bare(text)) ?? [];
    const thing = [headings[0], ...(kind === "item" ? [passage.title] : [])].find(
      (name) => name !== undefined && isOneThing(name),
    );
    if (thing === undefined || !isRelation(key) || !isPlain(text) || !isValue(value)) return [];
    return split(value, key).map((each) => ({
      subject: entity(thing),
      predicate: key,
      object: entity(each, typeAt(key, each)),
      quote: text,
    }));
  });
}

/** In lower case, a key is the name of a parameter or a piece of code more often than a heading of its own. */
const PAIR = /^((?:\p{Lu}[\p{L}-]*)(?: [\p{L}-]+){0,2}|\p{Script=Han}{2,8}) ?[:：]\s*([^:：].*?)[.。]?$/su;
