import { describe, expect, test } from "vitest";
import { misspeltWords, respelt } from "../../src/text/spelling.js";

const TEXTS = [
  "# ANNUAL LEAVE\nEmployees get 27 days of annual leave. Send the charge to Joost van Rees at the reception desk.",
  "The manager signs; managers may not. Our server is iso-27001. Horses are not let in.",
];

const readAs = (question: string) => respelt(question, misspeltWords(question, TEXTS));

describe("a misspelt word of a question", () => {
  test.each([
    ["How many days of anual leave do I get?", "How many days of annual leave do I get?"],
    ["Anual leave: how many days?", "annual leave: how many days?"],
    ["Where is the receptoin desk?", "Where is the reception desk?"],
    ["What is the receptoin's desk?", "What is the reception's desk?"],
    ["anual leave, anual leave", "annual leave, annual leave"],
    ["mnagers和anual假期", "managers和annual假期"],
  ])("is corrected to the word of the texts: %s", (question, read) => {
    expect(readAs(question)).toBe(read);
  });

  test.each([
    ["a word that the texts have", "How many days of annual leave?"],
    ["a right word that the texts lack", "How much may I spend, and who changes the house rules?"],
    ["a word with two errors", "How much anuall leevv?"],
    ["what is quoted", 'Where is "anual leave" or 「anual」 or `anual` defined?'],
    ["a code, a number, an address", "Is it iso-27002, anual2, anual_leave, ANUAL, anUal, anual.com or me@anual.org?"],
    ["a contraction", "Shouldn't I senn't?"],
    ["a short word", "Who sgn?"],
    ["a name that is near to another", "Who is Joost van Ress, or joost van ress?"],
    ["a name that is near to a word", "Where does Mr Receptoin sit?"],
    ["Chinese", "年价有几天？"],
  ])("is never %s", (_, question) => {
    expect(readAs(question)).toBe(question);
  });

  test.each(
    "pager/page payee/payer waiver/waver tithe/title lodging/logging ferry/merry intern/interns colour/color cheque/cheques".split(
      " ",
    ),
  )("is never a word of a dictionary, British or American, whatever the texts have: %s", (pair) => {
    const [asked = "", text = ""] = pair.split("/");
    expect(misspeltWords(`who has the ${asked}?`, [`the ${text}`])).toEqual([]);
  });

  test.each([
    ["paris", "pairs"],
    ["wifi", "wife"],
    ["london", "londons"],
  ])("is never a name or another word that is common: %s", (asked, text) => {
    expect(misspeltWords(`where is ${asked}?`, [`the ${text}`])).toEqual([]);
  });

  test.each([
    ["leav", "leave"],
    ["allowence", "allowance"],
    ["equipement", "equipment"],
    ["definately", "definitely"],
  ])("is corrected though a right word has the same stem: %s", (asked, text) => {
    expect(misspeltWords(`what ${asked}?`, [`the ${text}`])).toEqual([{ written: asked, read: text }]);
  });

  test("differs by one letter that is missing, added, replaced or swapped with its neighbour", () => {
    const read = (word: string) => respelt(word, misspeltWords(word, ["reception"]));
    for (const word of ["eception", "receptio", "recepttion", "receptionn", "rezeption", "erception", "receptino"])
      expect(read(word)).toBe("reception");
    for (const word of ["rceptoin", "repectionn", "rezeptions", "reeciption", "ecepton"]) expect(read(word)).toBe(word);
  });

  test("is corrected to the most frequent of the nearest words", () => {
    expect(misspeltWords("a manasger", ["a manaager, a manager, a manager"])).toEqual([
      { written: "manasger", read: "manager" },
    ]);
  });

  test.each([
    ["Passwords need 14 letters.", "How long are paswords?", "How long are passwords?"],
    ["The rules. Hotels cost up to 130 euros.", "Do hotles have a limit?", "Do hotels have a limit?"],
    ["## 2. Hotels\n\nUp to 130 euros.", "Hotles: what limit?", "hotels: what limit?"],
  ])("is corrected to a word that the texts only begin sentences with: %s", (text, question, read) => {
    expect(respelt(question, misspeltWords(question, [text]))).toBe(read);
  });

  test.each([
    ["a name that begins a sentence", "Marta runs the desk.", "Who is marda?"],
    ["a name that begins a sentence and is in another", "Hotels cost 130. The Hotels Group pays.", "Who is hotles?"],
    ["a word with a capital in a sentence", "We book at Hotels for 130.", "Do hotles cost?"],
    ["a heading of capitals", "HOTELS\nUp to 130 euros.", "Do hotles cost?"],
  ])("is never corrected to %s", (_, text, question) => {
    expect(respelt(question, misspeltWords(question, [text]))).toBe(question);
  });

  test("is not looked for in a text that is too long to be a question", () => {
    const question = (length: number) => "anual leave".padStart(length);
    expect(misspeltWords(question(1000), TEXTS)).toHaveLength(1);
    expect(misspeltWords(question(1001), TEXTS)).toEqual([]);
  });

  test("is corrected in linear time even if many quotation marks are never closed", () => {
    const question = `${"「".repeat(200_000)} anual`;
    expect(respelt(question, [{ written: "anual", read: "annual" }])).toBe(question.replace("anual", "annual"));
  });
});
