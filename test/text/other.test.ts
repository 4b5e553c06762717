import { describe, expect, test } from "vitest";
import { mismatchOf } from "../../src/facts/mismatches.js";
import { names } from "../../src/facts/names.js";
import { negations } from "../../src/facts/negation.js";
import { quantities } from "../../src/facts/numbers.js";
import { standalone } from "../../src/reading/standalone.js";
import { intentOf } from "../../src/text/intent.js";
import { outlineOf } from "../../src/text/outline.js";
import { isAnaphoric, sizeOf } from "../../src/text/prose.js";
import { questionParts } from "../../src/text/question-parts.js";
import { misspeltWords } from "../../src/text/spelling.js";
import { contentTerms, terms } from "../../src/text/tokens.js";

describe("a text that is neither English nor Chinese", () => {
  test.each([
    ["Wie viele Urlaubstage haben Mitarbeiter der Firma Nordwind?", []],
    ["Wer pflegt die OKR-Tabelle nach ISO-27001 für hilfe@nordwind.de?", ["OKR", "ISO", "hilfe@nordwind.de"]],
    ["東京支社の責任者は田中太郎ですか。", []],
  ])("has no names by capitals or Chinese surnames: %s", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  test.each([
    ["La statue est en or massif et pèse lourd.", "or"],
    ["Am Montag war die Küche geschlossen, also gab es nichts.", "also"],
    ["会議室の中を見てください。", "の中"],
  ])("keeps the words that English or Chinese would drop: %s", (text, term) => {
    expect(contentTerms(text)).toContain(term);
  });

  test.each(["No está permitido fumar en la oficina.", "Das Gerät ist nur in der Not zu benutzen."])(
    "has no denials by words that look English: %s",
    (text) => {
      expect(negations(text)).toBe(0);
    },
  );

  test("is one question of no special intent", () => {
    const question = "Was kostet das Abo und wer bezahlt es, was ist die guide line?";
    expect(questionParts(question)).toEqual([question]);
    expect(intentOf("Où se trouve le guide des instructions de la maison ?")).toBe("other");
  });

  test("is not corrected in spelling", () => {
    expect(
      misspeltWords("Welche große Halle wird gebaut?", ["Ein großer Bau: die großen Hallen werden gebaut."]),
    ).toEqual([]);
  });

  test("is not read as a fragment of the question before it", () => {
    const history = [{ question: "Wer leitet das Büro in Berlin?", answer: "Anna." }];
    expect(standalone("In Hamburg gibt es auch ein Büro, oder?", history)).toBe(
      "In Hamburg gibt es auch ein Büro, oder?",
    );
  });

  test("is left to the judge if two words changed places", () => {
    const claim = "Anna und Bernd leiten das Büro in Berlin.";
    expect(mismatchOf(claim, ["Bernd und Anna leiten das Büro in Berlin."])).toBeUndefined();
  });

  test("is refused if an amount differs", () => {
    const quote = "Die Kündigungsfrist beträgt für alle Mitarbeiter 3,5 Monate.";
    expect(mismatchOf(quote.replace("3,5", "4,5"), [quote])).toMatchObject({ verdict: "unsupported" });
    expect(mismatchOf(quote, [quote])).toBeUndefined();
  });

  test("has no English pronoun at the beginning of a sentence", () => {
    expect(isAnaphoric("He visto la oficina nueva de la empresa.")).toBe(false);
  });
});

describe("amounts in other languages", () => {
  const keys = (text: string) => quantities(text).map(({ key }) => key);

  test.each([
    ["Der Anteil stieg auf 3,5 % der Kosten.", ["percent:3.5"]],
    ["Die Miete beträgt 1.234,50 Euro im Monat.", ["money:EUR:1234.5"]],
    ["La ciudad tiene 1.250.000 habitantes y crece.", ["number:1250000"]],
    ["Gültig ab dem 03.10.2024 für alle Mitarbeiter.", ["date:2024-10-03"]],
    ["Bitte die Version 2.3.1 der Software installieren.", ["number:2.3", "number:1"]],
    ["出張費は1,234.5円までです。", ["number:1234.5"]],
    ["2024年3月5日に出発します。", ["date:2024-03-05"]],
    ["Ten cuidado con la puerta de la oficina, once veces.", []],
  ])("are read by the conventions of the language: %s", (text, expected) => {
    expect(keys(text)).toEqual(expected);
  });

  test.each([
    ["The share is 3.5 % of 1,234 items.", ["percent:3.5", "number:1234"]],
    ["占1,234件的3.5%。", ["number:1234", "percent:3.5"]],
  ])("keep the decimal point in English and Chinese: %s", (text, expected) => {
    expect(keys(text)).toEqual(expected);
  });
});

describe("sentences in other languages", () => {
  test.each([
    [
      "Wir feiern am 3. Oktober im Hof. Danach wird gegrillt.",
      ["Wir feiern am 3. Oktober im Hof.", "Danach wird gegrillt."],
    ],
    ["¿Cuándo abre? ¡Hoy a las ocho! Venga pronto.", ["¿Cuándo abre?", "¡Hoy a las ocho!", "Venga pronto."]],
    ["कार्यालय नौ बजे खुलता है। दोपहर का भोजन बारह बजे है।", ["कार्यालय नौ बजे खुलता है।", "दोपहर का भोजन बारह बजे है।"]],
    ["متى يفتح المكتب؟ يفتح في التاسعة.", ["متى يفتح المكتب؟", "يفتح في التاسعة."]],
    ["事務所は九時に開きます。昼食は正午です！", ["事務所は九時に開きます。", "昼食は正午です！"]],
  ])("end at the punctuation of their script: %s", (text, expected) => {
    expect(outlineOf(text).map((unit) => unit.text)).toEqual(expected);
  });

  test("in scripts without spaces are measured by characters", () => {
    expect(sizeOf("事務所は九時に開く")).toBe(4.5);
  });
});

describe("terms in other languages", () => {
  test.each([
    [
      "pairs of characters of any script without spaces, kanji as simplified ones",
      "出張メモ",
      ["出张", "张メ", "メモ"],
    ],
    ["the noun behind an elided article", "l'école d'eau dell'acqua", ["ecol", "eau", "acqua"]],
    ["English contractions and names whole", "o'clock O'Brien we'll", ["oclock", "obrien", "we"]],
  ])("are %s", (_name, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });
});
