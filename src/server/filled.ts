import { verify } from "../checking/verify.js";
import { claimsOf, isStatement } from "../citing/claims.js";
import { quantities } from "../facts/numbers.js";
import { visible } from "../text/decode.js";
import { simplified } from "../text/simplified.js";
import { hasWords as hasLetters, terms } from "../text/tokens.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { Answer, Claim } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Field } from "../types/field.js";
import type { Filler } from "../types/reasoners.js";

type Fields = Readonly<Record<string, Field>>;

const ALSO_SAY = "Also say, if the sources do:";

/** Tells a chat model to write what the fields ask for. */
export const toAlsoSay = (fields: Fields): string =>
  `${ALSO_SAY} ${Object.entries(fields)
    .map(([name, { about = name }]) => about)
    .join("; ")}`;

/**
 * Leaves out claims that only repeat what `toAlsoSay` told the model, as a small model does. They share so many words
 * with the sources that they can pass as likely.
 */
export function withoutEchoes(answer: Answer, fields: Fields): Answer {
  const told = new Set(terms(toAlsoSay(fields)));
  const isEcho = ({ text, support }: Claim) =>
    text.includes(ALSO_SAY) || (support === "likely" && terms(text).every((term) => told.has(term)));
  return { ...answer, claims: answer.claims.filter((claim) => !isEcho(claim)) };
}

/**
 * Fills fields from the claims of an answer. A chat model sees only the claims. Code keeps a number only if a claim has
 * it, and a text only if a claim has it or the claims support it as a sentence. Other values are null, and are left out
 * of lists.
 * @throws the model's error.
 */
export async function filled(
  fields: Fields,
  question: string,
  { claims }: Pick<Answer, "claims">,
  { filler, encoder }: { filler: Filler; encoder?: Encoder | undefined },
  call: Call,
): Promise<Record<string, unknown>> {
  const statements = claims.map(({ text }) => text);
  const given = statements.length > 0 ? await filler.fill({ question, statements, fields }, call) : {};
  return group(fields, given);

  async function group(fields: Fields, given: unknown): Promise<Record<string, unknown>> {
    const values: [string, unknown][] = [];
    for (const [name, field] of Object.entries(fields)) values.push([name, await value(field, ownIn(given, name))]);
    return Object.fromEntries(values);
  }

  async function value(field: Field, given: unknown): Promise<unknown> {
    switch (field.kind) {
      case "group":
        return group(field.fields, given);
      case "list": {
        const items: unknown[] = [];
        for (const item of Array.isArray(given) ? given.slice(0, MAX_LIST_ITEMS) : []) {
          const kept = await value(field.items, item);
          if (!isEmpty(kept)) items.push(kept);
        }
        return items;
      }
      case "number":
        return typeof given === "number" && isWithin(field, given) && statements.some((text) => hasNumber(text, given))
          ? given
          : null;
      case "text": {
        const text = typeof given === "string" ? visible(given) : "";
        return (await isText(field, text)) ? text : null;
      }
    }
  }

  async function isText({ options }: { options?: string[] }, given: string): Promise<boolean> {
    if (options && !options.includes(given)) return false;
    if (statements.some((text) => hasWords(text, given))) return true;
    const tools = encoder ? { encoder } : {};
    // Headings, questions, code and lists of sources are no claims, and would be shown unchecked.
    const rest = claimsOf(given)
      .filter(isStatement)
      .reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), given);
    if (hasLetters(rest)) return false;
    const checked = await verify(given, [{ text: statements.join("\n") }], { tools, calls: 0, signal: call.signal });
    return checked.supported && checked.claims.length > 0;
  }
}

/** Ignores inherited properties, such as `constructor`. */
const ownIn = (given: unknown, name: string): unknown =>
  typeof given === "object" && given !== null && Object.hasOwn(given, name)
    ? (given as Record<string, unknown>)[name]
    : null;

const MAX_LIST_ITEMS = 50;

/** True if a value has nothing that was supported. */
const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value).every(isEmpty));

const isWithin = ({ isWhole, least, most }: { isWhole: boolean; least: number; most: number }, value: number) =>
  value >= least && value <= most && (!isWhole || Number.isInteger(value));

const hasNumber = (text: string, value: number) =>
  quantities(text).some((quantity) => quantity.value === value) || hasWords(text, `${value}`);

/** True if a text has these words, as whole words. Case, width, and simplified or traditional Chinese do not matter. */
function hasWords(text: string, words: string): boolean {
  const [whole, part] = [folded(text), folded(words).trim()];
  if (part === "") return false;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (!joins(whole.charAt(at - 1), part.charAt(0)) && !joins(part.slice(-1), whole.charAt(at + part.length)))
      return true;
  return false;
}

const folded = (text: string) => simplified(text.normalize("NFKC")).toLowerCase().replace(/\s+/g, " ");

/** True if two adjacent characters belong to one word or number. */
const joins = (a: string, b: string) => (LETTER.test(a) && LETTER.test(b)) || (DIGIT.test(a) && DIGIT.test(b));
const LETTER = /^(?!\p{Script=Han})\p{L}$/u;
const DIGIT = /^[\p{N}.,]$/u;
