import { z } from "zod";
import { containsAnswer } from "../../../src/evaluate/match.js";
import { sample, shuffled } from "../../../src/evaluate/statistics.js";
import { languageOf } from "../../../src/text/language.js";
import { bm25 } from "../baseline.js";
import { type Choices, type Files, readJson } from "./files.js";

const Reading = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({ id: z.string(), question: z.string(), answers: z.array(z.object({ text: z.string() })) }),
          ),
        }),
      ),
    }),
  ),
});

export interface Paragraph {
  id: string;
  article: string;
  text: string;
}

export interface Asked {
  id: string;
  question: string;
  answers: string[];
  paragraph: Paragraph;
}

/** A reading set in SQuAD's form (XQuAD, CMRC 2018). All its questions can be answered from their paragraph. */
export function readReading(input: string): Asked[] {
  return readJson(input, Reading).data.flatMap(({ title, paragraphs }, article) =>
    paragraphs.flatMap(({ context, qas }, i) => {
      const paragraph = { id: `${article}-${i}`, article: `${article} ${title}`, text: context };
      return qas.map(({ id, question, answers }) => ({
        id,
        question,
        answers: [...new Set(answers.map((answer) => answer.text))],
        paragraph,
      }));
    }),
  );
}

/** Four suites from one reading set. Code makes what it lacks: questions without an answer, and false claims. */
export function readingSuites(asked: readonly Asked[], choices: Choices): Files {
  const paragraphs = [...new Set(asked.map((item) => item.paragraph))];
  return {
    "retrieval/corpus.jsonl": paragraphs.map(asLine),
    "retrieval/queries.jsonl": asked.map(({ id, question, paragraph }) => ({ id, question, relevant: [paragraph.id] })),
    "answerability.jsonl": answerability(asked, paragraphs),
    "support.jsonl": support(asked, choices.seed),
    ...qa(asked, paragraphs, choices),
  };
}

/**
 * Each question twice: with its own paragraph, and with the other paragraph that fits its words best (BM25) and holds
 * none of its answers.
 */
function answerability(asked: readonly Asked[], paragraphs: readonly Paragraph[]) {
  const search = bm25(paragraphs);
  const byId = new Map(paragraphs.map((paragraph) => [paragraph.id, paragraph]));
  return asked.flatMap(({ id, question, answers, paragraph }) => {
    const own = { id: `${id}-own`, question, passages: [asLine(paragraph)], answerable: true, answers };
    const other = search(question)
      .map((hit) => byId.get(hit.id))
      .find((hit) => hit && hit !== paragraph && !containsAnswer(hit.text, answers));
    return other ? [own, { id: `${id}-other`, question, passages: [asLine(other)], answerable: false }] : [own];
  });
}

/**
 * The sentence that holds an answer, as it is, and with the answer replaced by another question's answer of the same
 * kind (a number with the same unit, or words of the same script and about the same length). Both are checked against
 * its paragraph.
 */
function support(asked: readonly Asked[], seed: number) {
  const siblings = Map.groupBy(asked, (item) => item.paragraph.article);
  const everybody = shuffled(asked, seed);
  return asked.flatMap((item) => {
    const [answer] = item.answers;
    const sentence = answer && sentenceWith(item.paragraph.text, answer);
    if (!answer || !sentence || sentence === answer) return [];
    const fits = ({ answers: [other] }: Asked) =>
      other !== undefined &&
      sameKind(other, answer) &&
      !containsAnswer(sentence, [other]) &&
      !containsAnswer(answer, [other]);
    const donor = siblings.get(item.paragraph.article)?.find(fits) ?? everybody.find(fits);
    const swapped = donor?.answers[0] && sentence.replace(answer, () => donor.answers[0] ?? "");
    // The paragraph may state the swapped sentence too, and then it is true.
    if (!swapped || containsAnswer(item.paragraph.text, [swapped])) return [];
    const sources = [item.paragraph.text];
    return [
      { id: `${item.id}-true`, claim: sentence, sources, supported: true },
      { id: `${item.id}-swapped`, claim: swapped, sources, supported: false },
    ];
  });
}

const sentenceWith = (text: string, answer: string) =>
  text
    .match(/[^。！？!?\n]+?(?:[。！？!?\n]|\.(?=\s+\p{Lu})|\.?$)/gu)
    ?.find((sentence) => sentence.includes(answer))
    ?.trim();

const sameKind = (a: string, b: string) =>
  kindOf(a) === kindOf(b) && a.length <= 2 * b.length && b.length <= 2 * a.length;

/** "1952年" and "1987年" are of one kind, and so are two names of one script. */
const kindOf = (answer: string) =>
  /\p{N}/u.test(answer) ? answer.replace(/\p{N}+(?:[.,]\p{N}+)*/gu, "0") : String(/\p{Script=Han}/u.test(answer));

/**
 * Makes half of the questions unanswerable: whole articles, chosen by the seed, are left out of the corpus. With
 * `questions`, half of that number are of each kind, no two from one article.
 */
function qa(asked: readonly Asked[], paragraphs: readonly Paragraph[], { questions, seed }: Choices): Files {
  const articles = shuffled([...new Set(paragraphs.map((paragraph) => paragraph.article))], seed);
  const half = questions && questions / 2;
  const withheld = new Set(articles.slice(0, half ?? Math.floor(articles.length / 2)));
  const lines = (answerable: boolean) => {
    const some = asked.filter((item) => withheld.has(item.paragraph.article) !== answerable);
    const chosen = half === undefined ? some : sample(onePerArticle(some, seed), half, seed);
    return chosen.map(({ id, question, answers }) => ({
      id,
      question,
      answers,
      answerable,
      language: languageOf(question),
    }));
  };
  return {
    "qa/corpus.jsonl": paragraphs.filter((paragraph) => !withheld.has(paragraph.article)).map(asLine),
    "qa/qa.jsonl": [...lines(true), ...lines(false)],
  };
}

const onePerArticle = (asked: readonly Asked[], seed: number) =>
  [...Map.groupBy(asked, (item) => item.paragraph.article).values()].flatMap((group) => sample(group, 1, seed));

const asLine = ({ id, text }: Paragraph) => ({ id, text });
