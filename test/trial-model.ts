import { TRIAL } from "../src/prompting/trial-rows.js";
import type { Chat } from "../src/tools/chat/port.js";

/** What a model does with the rows of its trial. */
export interface Skill {
  /** Refuses what the sources only nearly answer. Default true. */
  refuses?: boolean;
  /** The verdict on a claim. Default: the right one. */
  judges?: (isTrue: boolean) => string;
  /** Fails at this request, counted from 0, instead of answering. */
  fails?: (request: number) => Error | undefined;
}

const ANSWERS = new Map(TRIAL.flatMap(({ answers }) => answers.map((row) => [row.question, row] as const)));
const CLAIMS = TRIAL.flatMap(({ claims }) => claims);

/** A chat model with this skill in the rows of the trial, and how many requests it got. */
export function trialModel({ refuses = true, judges = said, fails = () => undefined }: Skill = {}) {
  const asked = { requests: 0 };
  const chat: Chat = {
    name: "pupil",
    identity: crypto.randomUUID(),
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ schemaName, messages }) => {
      const prompt = messages.at(-1)?.content ?? "";
      const failure = fails(asked.requests);
      asked.requests += 1;
      if (failure) throw failure;
      const text = schemaName === "check" ? JSON.stringify(checked(prompt)) : answered(prompt);
      return { text, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 1 } };
    },
  };
  return { chat, asked };

  function answered(prompt: string): string {
    const question = /^Question: (.*)$/m.exec(prompt)?.[1] ?? "";
    const row = ANSWERS.get(question);
    const isChinese = /\p{Script=Han}/u.test(question);
    if (row) return isChinese ? `是${row.words[0]}[${row.source}]。` : `It is ${row.words[0]} [${row.source}].`;
    if (refuses) return "I don't know.\nSearch: something else";
    return isChinese ? "资料里写的是这样[1]。" : "It is as the sources say [1].";
  }

  function checked(prompt: string) {
    const lines = [...prompt.matchAll(/^(\d+)\. (.*) \[[^\]]*\]/gm)];
    return Object.fromEntries(
      lines.map(([, number = "", text]) => {
        const isTrue = CLAIMS.some((claim) => claim.text === text && claim.isTrue);
        return [number, { words: [], verdict: judges(isTrue), reason: "" }];
      }),
    );
  }
}

const said = (isTrue: boolean) => (isTrue ? "supported" : "unsupported");
