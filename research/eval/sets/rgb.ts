import { z } from "zod";
import { shuffled } from "../../../src/evaluate/statistics.js";
import { type Choices, type Files, readJsonLines } from "./files.js";

const Rgb = z.array(
  z.object({
    id: z.number(),
    query: z.string(),
    answer: z.union([z.string(), z.array(z.union([z.string(), z.array(z.string())]))]),
    positive: z.array(z.string()),
    negative: z.array(z.string()),
    /** In the counterfactual part: the positive passages with the answer replaced by `fakeanswer`. */
    positive_wrong: z.array(z.string()).optional(),
  }),
);
type Rgb = z.infer<typeof Rgb>[number];

/** RGB: noise (which passages are relevant), rejection (only irrelevant passages) and, in English, false facts. */
export function rgb(input: string, { seed }: Choices): Files {
  const items = readJsonLines(input, Rgb);
  const counterfactual = items.flatMap(swappedFacts);
  return {
    "relevance.jsonl": items.map((item) => ({
      id: String(item.id),
      question: item.query,
      passages: mixed(item.positive, item.negative, seed + item.id),
    })),
    "answerability.jsonl": items.flatMap((item) => answerability(item, seed + item.id)),
    ...(counterfactual.length > 0 && { "support.jsonl": counterfactual }),
  };
}

/** With half of the passages positive, and with none; as many passages as an answer uses. */
function answerability({ id, query, answer, positive, negative }: Rgb, seed: number) {
  if (positive.length === 0 || negative.length === 0) return [];
  const some = positive.slice(0, PASSAGES / 2);
  const answers = typeof answer === "string" ? [answer] : answer.flat();
  const passages = (good: string[], bad: string[]) => mixed(good, bad, seed).map(({ relevant: _, ...rest }) => rest);
  return [
    {
      id: `${id}-positive`,
      question: query,
      passages: passages(some, negative.slice(0, PASSAGES - some.length)),
      answerable: true,
      answers,
    },
    { id: `${id}-negative`, question: query, passages: passages([], negative.slice(0, PASSAGES)), answerable: false },
  ];
}

/** A true passage checked against itself, and against its twin in which the fact was changed. */
function swappedFacts({ id, positive, positive_wrong: wrong = [] }: Rgb) {
  const at = positive.findIndex((text, i) => wrong[i] !== undefined && wrong[i] !== text);
  const [claim, twin] = [positive[at], wrong[at]];
  if (claim === undefined || twin === undefined) return [];
  return [
    { id: `${id}-true`, claim, sources: [claim], supported: true },
    { id: `${id}-changed`, claim, sources: [twin], supported: false },
  ];
}

/** Shuffled, so that the order reveals nothing, and without white space from a page's layout. */
function mixed(positive: readonly string[], negative: readonly string[], seed: number) {
  const all = [
    ...positive.map((text, i) => ({ id: `p${i}`, text: tidy(text), relevant: true })),
    ...negative.map((text, i) => ({ id: `n${i}`, text: tidy(text), relevant: false })),
  ];
  return shuffled(all, seed);
}

const tidy = (text: string) => text.replace(/\s+/g, " ").trim();

const PASSAGES = 8;
