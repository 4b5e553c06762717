import type { Triple } from "../../knowledge/port.js";
import { entity, isPersonName, typeAt } from "./extractor-names.js";
import type { Stated } from "./extractor-outline.js";
import { bare, isPlain, isValue, namesThing } from "./extractor-phrases.js";
import { isRelation } from "./extractor-relations.js";

/**
 * What sentences of a few plain forms say: "X is the Y of Z", "the Y of Z is X", "Z's Y is X"; X是Z的Y, Z的Y是X, X担任Z的Y.
 * Y is a word for a relation, X and Z name things, and nothing in the sentence takes it back.
 */
export function sentenceTriples(all: readonly Stated[]): Triple[] {
  return all.flatMap(({ text, kind }) => {
    if ((kind !== "prose" && kind !== "item") || !isPlain(text)) return [];
    const clause = firstClause(bare(text));
    for (const form of FORMS) {
      const { x = "", y = "", z = "" } = form.exec(clause)?.groups ?? {};
      const [thing, other, relation] = [name(z), name(x), y.trim()];
      if (!isRelation(relation) || !isSingle(relation) || !fits(thing)) continue;
      if (!fits(other) && (form === IS_OF || !/^[\p{N}\p{Sc}±−-]/u.test(other) || !isValue(other))) continue;
      if (form === IS_OF && !isName(other)) continue;
      return [
        { subject: entity(thing), predicate: relation, object: entity(other, typeAt(relation, other)), quote: text },
      ];
    }
    return [];
  });
}

/** 正室是松平的女儿: what stands first may be a role that only the text around it fills. */
const IS_OF =
  /^(?<x>[^，,；：:的]{2,16}?)(?:目前|现在|现)?(?:是|为|担任|出任|现任|任)(?<z>[^，,；：:的]{2,20})的(?<y>[^，,；：:的]{2,8})$/u;

const FORMS: readonly RegExp[] = [
  /^(?<x>[^,;:]+?) (?:is|are) the (?:current )?(?<y>[\p{L}-]+(?: [\p{L}-]+){0,3}?) of (?<z>[^,;:]+)$/iu,
  /^the (?:current )?(?<y>[\p{L}-]+(?: [\p{L}-]+){0,3}?) of (?<z>[^,;:]+?) (?:is|are) (?<x>[^,;:]+)$/iu,
  /^(?<z>[^,;:]+?)['’]s? (?:current )?(?<y>[\p{L}-]+(?: [\p{L}-]+){0,3}?) (?:is|are) (?<x>[^,;:]+)$/iu,
  IS_OF,
  /^(?<z>[^，,；：:的]{2,20})的(?<y>[^，,；：:的]{2,8}?)(?:目前|现在|现)?(?:是|为)(?<x>[^，,；：:的]{2,24})$/u,
];

/** Up to a comma, where what follows goes on about something else; without the full stop. */
const firstClause = (sentence: string) =>
  sentence
    .split(/，|；|;|, (?=(?:and|which|who|whose|where|but)\b)/)[0]
    ?.replace(/[.。]$/, "")
    .trim() ?? "";

/** "the Netherlands" is a name with an article; "the company" is one only to who has read what stands before. */
const name = (phrase: string) => phrase.trim().replace(/^the (?=.*\p{Lu})/iu, "");

function fits(phrase: string): boolean {
  if (!namesThing(phrase) || /[()（）《》<>]/.test(phrase) || /^(?:the|an?|one|such) /i.test(phrase)) return false;
  if (/(?:^| )(?:is|are|and|or|but|with|for|in|on|at|to|by|as) /.test(phrase)) return false;
  // In these forms a thing in lower case is nearly always a kind of thing, or an adjective.
  if (!HAN.test(phrase)) return /[\p{Lu}\p{N}]/u.test(phrase);
  return !/[是有在把被使让对从由向与和并而但及都也还就才很最]|可以|能够|需要|进行|^[一两几]|^(?:著名|唯一|主要|首|第|[今去前明]年|[上下昨])/.test(
    phrase,
  );
}

/** One relation, and no clause: "and" joins two, "only" and "-est" limit. */
const isSingle = (relation: string) => !/\b(?:and|or|is|are)\b|[和与或是有]/.test(relation);

/** Whether a phrase is the name of one: of a person, of a place or body by its last character, or in other letters. */
const isName = (phrase: string) =>
  !HAN.test(phrase) ||
  isPersonName(phrase) ||
  /[\p{Script=Latin}\p{N}]|..(?:公司|集团|中心|学院|大学|银行|医院|委员会|协会|工厂|[省市县区镇村州国路街港湾岛山河湖江部组局院校站店厂室科处])$/u.test(
    phrase,
  );

const HAN = /\p{Script=Han}/u;
