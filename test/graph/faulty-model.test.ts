import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAgent } from "../../src/agent.js";
import { type ModelReasoners, modelReasoners } from "../../src/prompting/model-reasoners.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import type { Answer } from "../../src/types/answer.js";
import { USUAL_PROMPTS } from "../../src/types/call.js";
import type { Decision } from "../../src/types/events.js";
import { fakeServer, type ServerRequest, saysJson } from "../tools/chat/fake-server.js";
import { trusting } from "../trusting.js";
import { LATE, LIES, MODES, type Mode, USAGES } from "./faulty-model.js";

/** The tasks that a run sends to its model, recognised by the requested schema. */
const TASKS = { check: USUAL_PROMPTS.check, answer: '"claims"' } as const;
type Task = keyof typeof TASKS;

const taskOf = ({ messages }: ServerRequest): Task => {
  const prompt = messages.find(({ role }) => role === "user")?.content ?? "";
  return (Object.keys(TASKS) as Task[]).find((task) => prompt.includes(TASKS[task])) ?? "answer";
};

const LANGUAGES = {
  en: {
    question: "How many days of annual leave do employees of Harbor get?",
    passage: "Employees of Harbor get 25 days of annual leave. Unused days expire on 31 March.",
    // Paraphrased, so that exact code does not settle the claim and the checker is asked.
    claim: {
      text: "People who work at Harbor may take 25 days off.",
      quote: "Employees of Harbor get 25 days of annual leave.",
    },
  },
  zh: {
    question: "海港公司的员工每年有多少天年假？",
    passage: "海港公司的员工每年有25天年假。未休的年假于3月31日过期。",
    claim: { text: "在海港公司上班的人一年可以休25天。", quote: "海港公司的员工每年有25天年假。" },
  },
} as const;
type Language = keyof typeof LANGUAGES;

/** The replies of a good model. */
function good(task: Task, language: Language): Record<string, unknown> {
  const { claim } = LANGUAGES[language];
  return {
    answer: { claims: [{ ...claim, source: 1 }], missing: "" },
    check: { 1: { words: [claim.quote], verdict: "supported", reason: "" } },
  }[task];
}

const ALL: Readonly<Record<string, Mode>> = {
  ...MODES,
  ...LIES,
  ...Object.fromEntries(Object.entries(USAGES).map(([name, mode]) => [`says it used ${name}`, mode])),
};

/** One server for all tests: the name of the model gives the misbehaviour, the task and the language. */
let server: Awaited<ReturnType<typeof fakeServer>>;
beforeAll(async () => {
  server = await fakeServer((request, response) => {
    const [name = "", faulty, language] = request.model.split("|");
    const task = taskOf(request);
    const reply = good(task, language as Language);
    const misbehaves = faulty === task || faulty === "all";
    return (misbehaves && ALL[name] ? ALL[name].script(reply) : saysJson(reply))(request, response);
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Misbehaviour of a model may appear only in the decision log, not on the console. */
const printed = ["log", "warn", "error"] as const;
beforeEach(() => {
  for (const way of printed) vi.spyOn(console, way).mockImplementation(() => {});
});
afterEach(() => {
  for (const way of printed) expect(console[way]).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

interface Run {
  answer: Answer;
  decisions: Decision[];
  asked: Task[];
}

let runs = 0;

/** One question to a model that misbehaves in one task, or in all of them. */
async function asking(name: string, faulty: Task | "all", language: Language, baseURL = server.baseURL): Promise<Run> {
  const model = `${name}|${faulty}|${language}|${runs++}`;
  const { question, passage } = LANGUAGES[language];
  const reasoners = modelReasoners({ chat: openaiChat({ model, baseURL, timeoutMs: 30_000 }) });
  // A short timeout if no reply will come; otherwise a long one, so that a busy machine causes no fault.
  const hasty = modelReasoners({ chat: openaiChat({ model, baseURL, timeoutMs: 300 }) });
  const awaited = ALL[name]?.fault === LATE ? { ...reasoners, ...only(faulty, hasty) } : reasoners;
  const agent = createAgent({
    tools: {
      ...fakeTools({ passages: [fakePassage("leave", passage, { language })] }),
      ...trusting(awaited),
    },
    // JSON replies, since they can be wrong in more ways than prose.
    context: { citing: "quote", budget: { seconds: 60, rounds: 2, calls: 12 } },
  });
  const run: Partial<Run> = {};
  const decisions: Decision[] = [];
  for await (const event of agent.stream(question)) {
    if (event.type === "decision") decisions.push(event.decision);
    if (event.type === "answer") run.answer = event.answer;
  }
  if (!run.answer) throw new Error("no answer");
  const asked = server.requests.filter((request) => request.model === model).map(taskOf);
  return { answer: run.answer, decisions, asked };
}

/** The reasoner of one task, or all reasoners. */
const only = (task: Task | "all", { generator, checker }: ModelReasoners): Partial<ModelReasoners> =>
  ({ all: { generator, checker }, answer: { generator }, check: { checker } })[task];

/** The model misbehaves when checking, or in all tasks, of which drafting is the first. */
const RUNS: readonly [Task | "all", Language][] = [
  ["check", "en"],
  ["all", "zh"],
];

/** Checks what must be true of every answer, whatever the model did. */
function expectSound({ answer, decisions }: Run, passage: string) {
  expect(decisions.at(-1)?.step).toBe("respond");
  expect(["answered", "partial", "refused", "unavailable"]).toContain(answer.status);
  for (const figure of [answer.spend, ...decisions].map(({ calls }) => calls)) expect(figure).toSatisfy(isCount);
  const { inputTokens, cachedTokens, outputTokens, milliseconds } = answer.spend;
  for (const figure of [inputTokens, cachedTokens, outputTokens]) expect(figure).toSatisfy(isCount);
  expect(cachedTokens).toBeLessThanOrEqual(inputTokens);
  expect(milliseconds).toBeLessThan(61_000);
  for (const { start, end, quote } of answer.claims.flatMap(({ citations }) => citations))
    expect(passage.slice(start, end)).toBe(quote);
}
const NOT_COMPARED = { spend: undefined, report: undefined, references: undefined };
const isCount = (figure: number) => Number.isSafeInteger(figure) && figure >= 0;
const faultsOf = ({ decisions }: Run) => decisions.flatMap(({ faults }) => faults.map(({ message }) => message));

describe("a run whose model", () => {
  test.each(Object.keys({ ...MODES, ...LIES }))(
    "%s ends with an answer, and its log names the fault",
    { timeout: 90_000 },
    async (name) => {
      const runs = await Promise.all(RUNS.map(([faulty, language]) => asking(name, faulty, language)));
      const mode = ALL[name];
      for (const [i, run] of runs.entries()) {
        const [faulty, language] = RUNS[i] ?? ["all", "en"];
        expectSound(run, LANGUAGES[language].passage);
        // The model was really asked to do the task.
        if (faulty !== "all") expect(run.asked).toContain(faulty);
        if (mode?.fault) expect(faultsOf(run).join("\n")).toMatch(mode.fault);
        // An unusual reply that can be read is used.
        else if (!(name in LIES)) expect(faultsOf(run)).toEqual([]);
      }
    },
  );

  test("reports any usage gives the same answer without a fault", async () => {
    const even = await asking("well-behaved", "all", "en");
    for (const name of Object.keys(USAGES)) {
      const odd = await asking(`says it used ${name}`, "all", "en");
      expectSound(odd, LANGUAGES.en.passage);
      expect(odd.asked, name).toEqual(["answer", "check"]);
      expect({ ...odd.answer, ...NOT_COMPARED }, name).toEqual({ ...even.answer, ...NOT_COMPARED });
      expect(faultsOf(odd), name).toEqual([]);
    }
  });

  test("does nothing wrong ends with a checked answer and no fault", async () => {
    for (const [, language] of RUNS) {
      const run = await asking("well-behaved", "all", language);
      expectSound(run, LANGUAGES[language].passage);
      expect(run.asked).toEqual(["answer", "check"]);
      expect(run.answer.status).toBe("answered");
      expect(faultsOf(run)).toEqual([]);
    }
  });

  test("cannot be reached ends with an answer, and its log says so", async () => {
    const gone = await fakeServer();
    await gone[Symbol.asyncDispose]();
    const run = await asking("gone", "all", "en", gone.baseURL);
    expectSound(run, LANGUAGES.en.passage);
    expect(faultsOf(run).join()).toMatch(/cannot be reached \(ECONNREFUSED\)/);
  });
});
