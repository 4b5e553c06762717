import { EndpointError, MalformedReplyError } from "../errors.js";
import { jaccard } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Chat } from "../tools/chat/port.js";
import type { Documents } from "../tools/documents/port.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { Usage } from "../types/answer.js";
import type { Passage } from "../types/evidence.js";
import { draftQuestion, flawInMeaning, flawInWords, type MadeKind } from "./draft-question.js";
import { isLeft, MADE, type MadeQuestion } from "./made.js";
import type { Question } from "./questions.js";
import { shuffled } from "./statistics.js";

interface MakeOptions {
  documents: Documents;
  encoder: Encoder;
  chat: Chat;
  /** How many generated questions the file is to have, including the earlier ones that nobody dropped. */
  most: number;
  /**
   * The questions already in the file. No similar question is made, and making continues after the last generated one.
   */
  before: readonly Question[];
  signal: AbortSignal;
  /** Called before each question; false ends the work. */
  mayGoOn: () => boolean;
  spent: (usage: Usage) => void;
  onMade: (made: MadeQuestion) => Promise<void>;
  onDropped: (reason: string) => void;
}

/**
 * Makes questions from passages that are drawn at random across the documents, the same ones each time, and checks each
 * by code and the encoder. Returns early if `mayGoOn` returns false or the passages run out.
 * @throws EndpointError if the model fails three times in a row, or refuses the key; as the store and the encoder do,
 * and the signal's reason. The questions passed to `onMade` by then are complete.
 */
export async function makeQuestions(options: MakeOptions): Promise<void> {
  const { documents, most, before, signal, mayGoOn, onMade, onDropped } = options;
  const there = new Set(before.filter(({ tags }) => tags.includes(MADE)).map(({ id }) => id));
  const made = new Map(before.filter(isLeft).map((one) => [one.id, turnOf(one)]));
  const asked = before.map(({ question }) => question);
  const plan = await planned(documents, most * TRIES);
  let failures = 0;
  for (const { kind, id } of plan.slice(1 + plan.findLastIndex((task) => there.has(idOf(task))))) {
    if (made.size >= most || !mayGoOn()) return;
    signal.throwIfAborted();
    const passages = await passagesFor(kind, id, documents);
    const first = made.get(idOf({ kind: "one passage", id }));
    if (passages.length === 0 || (kind === "follow-up" && !first)) continue;
    try {
      const draft = await draftQuestion(kind, passages, first, options);
      const isKnown = asked.some((other) => isAlike(other, draft.whole));
      const flaw = flawInWords(draft) || (isKnown ? "like another question" : await flawInMeaning(draft, options));
      failures = 0;
      if (flaw) {
        onDropped(flaw);
        continue;
      }
      const [answer = null, ...also] = draft.answers;
      const line: MadeQuestion = {
        id: idOf({ kind, id }),
        question: draft.question,
        answer,
        ...(also.length > 0 && { also }),
        passages: answer === null ? [] : [...new Set(passages.map(({ uri }) => uri))],
        tags: [MADE, kind],
        ...(kind === "follow-up" && first && { history: [first] }),
      };
      await onMade(line);
      made.set(line.id, turnOf({ ...line, answers: [answer ?? ""] }));
      asked.push(draft.whole);
    } catch (error) {
      failures = error instanceof MalformedReplyError ? 0 : failures + 1;
      if (failures > 0 && (!isPassing(error) || failures >= MOST_FAILURES)) throw error;
      onDropped(failures > 0 ? "no reply" : "a reply that could not be used");
    }
  }
}

/** Tries per wanted question: a small model needs many. */
const TRIES = 12;
const MOST_FAILURES = 3;

/** A request refused for its key or its model's name will be refused again. */
const REFUSED = [401, 403, 404];

const isPassing = (error: unknown) => error instanceof EndpointError && !REFUSED.includes(error.status);

interface Task {
  kind: MadeKind;
  /** The id of the passage. */
  id: string;
}

const idOf = ({ kind, id }: Task) => `${kind}: ${id}`;
const turnOf = ({ question, answers }: Pick<Question, "question" | "answers">) => ({
  question,
  answer: answers[0] ?? "",
});

const isAlike = (one: string, other: string) =>
  jaccard(new Set(contentTerms(one)), new Set(contentTerms(other))) >= ALIKE;
const ALIKE = 0.6;

/** The kinds of questions to make from successive passages. */
const KINDS: readonly (readonly MadeKind[])[] = [
  ["one passage"],
  ["unanswerable"],
  ["one passage", "follow-up"],
  ["two passages"],
  ["one passage"],
  ["unanswerable"],
];

/**
 * Plans one passage of every document, in random order, then a second of each, and so on; then all of them again, for
 * other kinds of questions.
 */
async function planned(documents: Documents, most: number): Promise<Task[]> {
  const all = shuffled(await documents.list(), SEED).map(({ documentId, passages }, i) => ({
    documentId,
    order: shuffled([...Array(passages).keys()], SEED + i),
  }));
  const rounds = Math.max(0, ...all.map(({ order }) => order.length));
  const ids: string[] = [];
  for (let round = 0; round < rounds && ids.length < most; round++)
    for (const { documentId, order } of all) if (order[round] !== undefined) ids.push(`${documentId}#${order[round]}`);
  const tasks = KINDS.flatMap((_, again) =>
    ids.flatMap((id, i) => KINDS[(i + again) % KINDS.length]?.map((kind) => ({ kind, id })) ?? []),
  );
  return [...new Map(tasks.map((task) => [idOf(task), task])).values()].slice(0, most);
}

const SEED = 1;

/** Returns the passage, and for "two passages" also a neighbour. Empty if they say too little to ask about. */
async function passagesFor(kind: MadeKind, id: string, documents: Documents): Promise<Passage[]> {
  const own = await documents.get([id]);
  const beside = kind === "two passages" ? (await documents.neighbours(id)).slice(-1) : [];
  const all = [...own, ...beside];
  const isEnough = all.length === (kind === "two passages" ? 2 : 1);
  return isEnough && all.every(({ text }) => contentTerms(text).length >= LEAST_TERMS) ? all : [];
}

const LEAST_TERMS = 12;
