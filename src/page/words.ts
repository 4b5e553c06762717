import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { messagesIn, SPOKEN } from "../answer/messages/index.js";
import type { Decision } from "../types/events.js";

/** The words of the page, and the tag of their language. */
export type Words = ReturnType<typeof wordsIn>;

export const wordsIn = (language: string) => ({ ...messagesIn(language).page, language });

/** What a run has done so far, in few words; the number of steps if it neither read nor checked anything. */
export function done(decisions: readonly Decision[], words: Words): string {
  const read = decisions.reduce((sum, { read = 0 }) => sum + read, 0);
  const checked = Math.max(0, ...decisions.map(({ reason }) => (reason.code === "claims_to_check" ? reason.count : 0)));
  const parts = [...(read > 0 ? [words.read(read)] : []), ...(checked > 0 ? [words.checked(checked)] : [])];
  const seconds = decisions.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  return [parts.join(words.between) || words.stepsTaken(decisions.length), words.seconds(seconds)].join(" · ");
}

/** What a run has taken so far, in one line. */
export function took(decisions: readonly Decision[], words: Words): string {
  const sum = (of: (decision: Decision) => number) => decisions.reduce((total, decision) => total + of(decision), 0);
  const calls = sum(({ calls }) => calls);
  const tokens = sum(({ tokens }) => tokens);
  const seconds = sum(({ milliseconds }) => milliseconds) / 1000;
  return [words.stepsTaken(decisions.length), ...words.used(calls, tokens), words.seconds(seconds)].join(" · ");
}

const LANGUAGE = "emend-language";
const TAGS = Object.keys(SPOKEN);

/** The words of the language that was chosen on this page, or else of the browser's. */
export function wordsHere(): Words {
  const chosen = localStorage.getItem(LANGUAGE) ?? navigator.language;
  return wordsIn(TAGS.find((tag) => chosen.startsWith(tag)) ?? "en");
}

/** The language that comes after this one: its tag, and its name for itself. */
export function nextLanguage({ language }: Words) {
  const tag = TAGS[(TAGS.indexOf(language) + 1) % TAGS.length] ?? "en";
  return { tag, name: messagesIn(tag).name };
}

/** Chooses the next language. */
export function nextWords(words: Words): Words {
  const { tag } = nextLanguage(words);
  localStorage.setItem(LANGUAGE, tag);
  return wordsIn(tag);
}

export const WordsContext = createContext<Words>(wordsIn("en"));
export const useWords = (): Words => useContext(WordsContext);
