import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { questionBack } from "../../src/answer/answer.js";
import { composeAnswer, composeRefusal, notRead, sourceList } from "../../src/answer/compose.js";
import { withText } from "../../src/answer/segments.js";
import { State } from "../../src/state/state.js";
import { hasWords } from "../../src/text/tokens.js";
import { factSentence, rowTable } from "../../src/tools/knowledge/facts.js";
import { Citing, type Claim, type Intent, NOTHING_SPENT, type Reference } from "../../src/types/answer.js";
import type { Language } from "../../src/types/language.js";
import { OPEN_JOBS } from "../computed.js";
import { ATTACKS, cited, UNSEEN, working } from "../shown.js";

const claim = (text: string, reference: number): Claim => ({
  text,
  support: "supported",
  citations: [{ reference, quote: text, start: 0, end: text.length }],
});
const reference = (number: number, rest: Partial<Reference> = {}): Reference => ({
  number,
  evidenceId: `${number}`,
  source: "document",
  title: "Hours",
  uri: "hours.md",
  section: "",
  date: "",
  ...rest,
});
const answered = (texts: readonly string[], intent: Intent, language: Language, citing?: Citing, missing = "") => {
  const claims = texts.map((text, i) => claim(text, i + 1));
  return withText(composeAnswer({ claims, references: [], disagreements: [], missing }, intent, language, citing)).text;
};

const listed = (of: Partial<Reference>, language: Language) =>
  sourceList({ references: [reference(1, of), reference(2)], claims: [claim("One.", 1), claim("Two.", 2)], language });
const refused = (query: string, missing: string, language: Language) =>
  withText(composeRefusal({ queries: [query], places: ["document"], missing, remedies: [] }, language)).text;

function asked(clarification: string, language: Language): string {
  const verdict = { grade: "incorrect", relevance: 0, answerability: "none" } as const;
  return questionBack(
    z.parse(State, {
      ...{
        messages: [],
        question: "",
        askedIn: "",
        answering: "",
        said: "",
        clarification: "",
        queries: [],
        excluded: [],
        webQueries: [],
        lookUps: [],
        findings: [],
        tables: [],
      },
      ...{ webResults: [], streamed: [], evidence: [], attempts: [], spend: NOTHING_SPENT, decisions: [] },
      understood: { question: "", language, intent: "other", passages: 8 },
      verdict: { ...verdict, missing: "", entities: [], clarification },
    }),
  );
}

/** Every kind of untrusted text in a message: how it is shown, and which numbers may then be cited. */
const KINDS: readonly (readonly [string, number[], (words: string, language: Language) => string])[] = [
  ["a title", [1, 2], (title, language) => listed({ title }, language)],
  ["a section", [1, 2], (section, language) => listed({ section }, language)],
  ["an address", [1, 2], (x, language) => listed({ uri: `http://host/${x}` }, language)],
  ["a file name", [1, 2], (x, language) => listed({ uri: `docs/${x}.md` }, language)],
  ["until when a source holds", [1, 2], (validUntil, language) => listed({ validUntil }, language)],
  [
    "a quote",
    [1],
    (words, language) => sourceList({ references: [reference(1)], claims: [claim(words, 1)], language }),
  ],
  ["a type of what is attached", [], (words, language) => notRead([words, words], language)],
  [
    "a date",
    [1, 2],
    (words, language) => {
      const references = [reference(1, { date: words.slice(0, 10) }), reference(2, { date: words.slice(-10) })];
      const disagreements = [{ newer: 1, older: 2 }];
      return withText(composeAnswer({ claims: [], references, disagreements, missing: "" }, "other", language)).text;
    },
  ],
  ...Citing.options.flatMap((citing) =>
    (["other", "steps", "comparison"] as const).map(
      (intent) =>
        [
          `a claim (${citing}, ${intent})`,
          citing === "sources" ? [] : [1, 2, 3],
          (words: string, language: Language) => answered([words, words, words], intent, language, citing),
        ] as const,
    ),
  ),
  [
    "a claim above and in a model's list",
    [2, 3],
    (words, language) => {
      const claims = (["lead", "bullet", "step"] as const).map((kind, i) => ({
        ...claim(words, i + 1),
        form: { kind, block: i },
      }));
      return withText(composeAnswer({ claims, references: [], disagreements: [], missing: "" }, "other", language))
        .text;
    },
  ],
  [
    "a fact of a graph",
    [1],
    (words, language) => {
      const fact = { entity: words, predicate: "acts in", direction: "out" as const, others: [words, words], total: 2 };
      return answered([factSentence(fact, language)], "other", language);
    },
  ],
  [
    "a row of a graph",
    [1],
    (words, language) =>
      answered(
        rowTable({ rows: [{ [words]: words }] })
          .split("\n")
          .slice(-1),
        "other",
        language,
      ),
  ],
  [
    "a table",
    [1, 2],
    (words, language) => {
      const used = [{ number: 1, cells: [words, words], passage: 0 }];
      const unread = [{ column: words, cells: 1 }];
      const tables = [...OPEN_JOBS.tables, ...OPEN_JOBS.tables].map((table) => ({
        ...table,
        name: words,
        uri: words,
        columns: [words],
        used,
        unread,
      }));
      return listed({ source: "table", computed: { ...OPEN_JOBS, tables } }, language);
    },
  ],
  ["what is open", [1], (words, language) => answered(["One."], "other", language, "quote", words)],
  ["the question of a refusal", [], (words, language) => refused(words, "x", language)],
  ["what a refusal misses", [], (words, language) => refused("x", words, language)],
  ["a question back", [], (words, language) => asked(words, language)],
];

const AROUND: readonly (readonly [Language, (attack: string) => string])[] = [
  ["en", (attack) => attack],
  ["en", (attack) => `The office ${attack} opens at eight.`],
  ["en", (attack) => `${attack} The office opens at eight${attack}`],
  ["zh", (attack) => `办公室${attack}八点开门。`],
  ["zh", (attack) => `${attack}他说“办公室八点开门。”${attack}`],
  ["zh", (attack) => `${attack}办公室八点开门${attack}。`],
  // The marker follows the quotation directly, and the next text follows the marker.
  ["zh", (attack) => `${attack}他说“办公室八点开门。”`],
];

/** The only links that are allowed. */
const OWN = ["http://host"];

describe.each(KINDS)("%s", (_, expected, shown) => {
  test.each(ATTACKS)("is only words if it contains %s", (_name, attack) => {
    for (const [language, around] of AROUND) {
      const text = shown(around(attack), language);
      expect(working(text, OWN), text).toEqual([]);
      expect(text).not.toMatch(UNSEEN);
      // A list of sources does not cite.
      for (const found of cited(text).filter((_found, i) => i !== 1 || !/^\*\*(?:Sources|来源)\*\*\n/.test(text)))
        expect(found, text).toEqual(expected);
    }
  });
});

test("the citations that are parsed from an answer are its own, whatever its claims contain", {
  timeout: 120_000,
}, () => {
  const pieces = "[ ] ( ) ［ ］ 【 】 1 2 ² † , - : ! ^ # < > \\ ` ~ { } & ; source 来源 。 . ” 。” 八 a".split(" ");
  const words = fc
    .array(fc.constantFrom(...pieces, " ", "\n", "&#91;", "http://", "www.", "//e.x", "\u200b"), { maxLength: 12 })
    .map((parts) => parts.join(""))
    // A claim is never empty.
    .filter(hasWords);
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 3 }),
      fc.constantFrom<Intent>("other", "steps", "comparison"),
      fc.constantFrom<Language>("en", "zh"),
      (texts, intent, language) => {
        const text = answered(texts, intent, language);
        expect(working(text)).toEqual([]);
        for (const found of cited(text)) expect(found, text).toEqual(texts.map((_, i) => i + 1));
      },
    ),
    { numRuns: 2000 },
  );
});
