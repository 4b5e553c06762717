import TRADITIONAL from "opencc-js/dict/TSCharacters";

/**
 * Traditional Chinese characters as the simplified ones they are written for (什麼 as 什么), one by one, so that every
 * offset stays. Of two words that simplified writing spells alike (乾 and 幹: 干) one is made: for comparing, never for showing.
 */
export function simplified(text: string): string {
  return text.replace(ANY, (character) => PAIRS.get(character) ?? character);
}

/** OpenCC's table, without the rare characters that take two UTF-16 units on either side. */
const PAIRS: ReadonlyMap<string, string> = new Map(
  TRADITIONAL.split("|").flatMap((pair): [string, string][] => {
    const [from = "", to = ""] = pair.split(" ");
    return from.length === 1 && to.length === 1 ? [[from, to]] : [];
  }),
);

const ANY = new RegExp(`[${[...PAIRS.keys()].join("")}]`, "g");
