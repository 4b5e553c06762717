import { describe, expect, test } from "vitest";
import { answerOf } from "../../src/answer/answer.js";
import type { Context } from "../../src/state/context.js";
import type { Attempt, State } from "../../src/state/state.js";
import { type CheckedClaim, NOTHING_SPENT, type Report } from "../../src/types/answer.js";
import type { Evidence, Verdict } from "../../src/types/evidence.js";

const TEXT = "The office opens at eight. It closes at six. 办公室八点开门。";
const piece = (id: string, relevance: number): Evidence => ({
  id,
  source: "document",
  title: id,
  uri: `${id}.md`,
  section: "",
  text: TEXT,
  language: "en",
  score: 1,
  relevance,
  strips: [],
  retrievedAt: "2026-11-21T10:00:00Z",
  reviewedAt: "",
});
const claim = (text: string, verdict: CheckedClaim["verdict"]): CheckedClaim => ({
  text,
  verdict,
  reason: { code: "stated" },
  quotes: [{ evidenceId: "office", quote: TEXT.slice(0, 26), start: 0, end: 26 }],
});
const report = (...claims: CheckedClaim[]): Report => ({
  hallucinationDetected: false,
  claims,
  stages: [],
  contextSufficiency: "sufficient",
  correctionSuggestion: "",
  missing: "",
});
const verdict = (rest: Partial<Verdict> = {}): Verdict => ({
  grade: "correct",
  relevance: 0.9,
  answerability: "full",
  missing: "",
  entities: [],
  clarification: "",
  ...rest,
});
const attempt = (rest: Partial<Attempt>): Attempt => ({
  query: "q",
  evidenceIds: ["office"],
  verdict: verdict(),
  repair: false,
  spend: NOTHING_SPENT,
  ...rest,
});
const state = (attempts: Attempt[], rest: Partial<State> = {}): State => ({
  messages: [],
  question: "When does the office open?",
  askedIn: "",
  answering: "",
  said: "",
  clarification: "",
  understood: { question: "When does the office open?", language: "en", intent: "other", passages: 8 },
  queries: [{ text: "q", reason: { code: "asked" } }],
  evidence: [piece("office", 0.9)],
  tables: [],
  excluded: [],
  webQueries: [],
  webResults: [],
  lookUps: [],
  findings: [],
  attempts,
  streamed: [],
  decisions: [],
  spend: NOTHING_SPENT,
  ...rest,
});
const texts = (found: ReturnType<typeof answerOf>) => found.claims.map(({ text }) => text);

describe("an answer", () => {
  test.each([
    ["It closes at six.", ["Anna leads the office."]],
    ["Its doors close at six.", ["Anna leads the office."]],
    ["它六点关门。", ["Anna leads the office."]],
    ["The office closes at six.", ["The office closes at six.", "Anna leads the office."]],
  ])("leaves out “%s” if it depends on a sentence that was left out", (leaning, shown) => {
    const claims = [
      claim("The office opens at nine.", "unsupported"),
      claim(leaning, "supported"),
      claim("Anna leads the office.", "supported"),
    ];
    const found = answerOf(state([attempt({ report: report(...claims) })]), "partly_supported");
    expect(texts(found)).toEqual(shown);
    expect(found.status).toBe("partial");
    expect(found.missing).toContain(String(3 - shown.length).replace("1", "one"));
  });

  test("keeps a sentence that begins with a pronoun if it comes first or the sentence before it is kept", () => {
    const claims = [claim("It opens at eight.", "supported"), claim("It closes at six.", "supported")];
    expect(texts(answerOf(state([attempt({ report: report(...claims) })]), "supported"))).toHaveLength(2);
  });

  test("comes from a later attempt if that is at least as good as the earlier ones", () => {
    const good = report(claim("The office opens at eight.", "supported"));
    const worse = report(claim("The office opens at nine.", "unsupported"));
    const mixed = report(claim("Eight is when it opens.", "supported"), claim("At nine.", "contradicted"));
    const equal = report(claim("The doors open at eight.", "supported"));
    const shownWith = (later: Report) =>
      texts(answerOf(state([attempt({ report: good }), attempt({ report: later })]), "supported"));
    expect(shownWith(worse)).toEqual(["The office opens at eight."]);
    expect(shownWith(mixed)).toEqual(["The office opens at eight."]);
    expect(shownWith(equal)).toEqual(["The doors open at eight."]);
  });

  test("is a supported claim rather than quotes of another attempt that may not answer, whichever came last", () => {
    const sure = attempt({ report: report(claim("The office opens at eight.", "supported")) });
    const quotes = [claim("Bikes park for free.", "supported"), claim("Parking costs two euros.", "supported")];
    const unsure = attempt({ report: { ...report(...quotes), unsure: true } });
    const [later, earlier] = [answerOf(state([unsure, sure]), "supported"), answerOf(state([sure, unsure]), "unsure")];
    expect([texts(later), later.stopReason]).toEqual([["The office opens at eight."], "supported"]);
    expect([texts(earlier), earlier.stopReason]).toEqual([["The office opens at eight."], "partly_supported"]);
    expect(answerOf(state([unsure]), "query_stagnation")).toMatchObject({ stopReason: "unsure", status: "unsure" });
  });
});

describe("quotes that may answer", () => {
  const formed = (text: string, form: CheckedClaim["form"], evidenceId = "office"): CheckedClaim => ({
    ...claim(text, "supported"),
    ...(form && { form }),
    quotes: [{ evidenceId, quote: TEXT.slice(0, 26), start: 0, end: 26 }],
  });
  const PLACES = ["office", "garden", "attic", "roof"];
  const evidence = PLACES.map((id) => piece(id, 0.4));
  const unsure = (claims: CheckedClaim[], rest: Partial<State> = {}) =>
    answerOf(state([attempt({ report: { ...report(...claims), unsure: true } })], { evidence, ...rest }), "unsure");
  const sentences = PLACES.map((id) => formed(`The ${id} opens at eight.`, undefined, id));

  test("are shown as such, at most three, best first, each with its citation and nothing around them", () => {
    expect(unsure(sentences).text).toBe(
      "This may answer it:\n\n- The office opens at eight [1].\n- The garden opens at eight [2].\n- The attic opens at eight [3].",
    );
    expect(unsure(sentences.slice(0, 1)).text).toBe("This may answer it:\n\nThe office opens at eight [1].");
    const steps = { question: "How do I get in?", language: "zh", intent: "steps", passages: 8 } as const;
    expect(unsure(sentences.slice(0, 2), { understood: steps }).text).toMatch(/^可能的答案：\n\n- .*\n- /);
  });

  test("are never cut inside a list or a paragraph", () => {
    const list = (id: string, block: number) => [
      formed(`Bring to the ${id}:`, { kind: "lead", block }, id),
      ...["A badge.", "A pen.", "A lamp."].map((text, i) =>
        formed(`${text} For the ${id}.`, { kind: "bullet", block: block + 1 + i }, id),
      ),
    ];
    const shown = texts(
      unsure([...list("office", 0), ...list("garden", 4), sentences[2], sentences[3]].flatMap((x) => x ?? [])),
    );
    expect(shown).toHaveLength(9);
    expect(shown.at(-1)).toBe("The attic opens at eight.");
  });

  test("come with what failed, what was not read and how words were read", () => {
    const understood = { ...state([]).understood, misspelt: [{ written: "ofice", read: "office" }] } as never;
    const faults = [{ part: "web_search", name: "EndpointError", message: "It is down." }];
    const web = { step: "searchWeb", to: "", reason: { code: "done" }, faults, calls: 0, tokens: 0, milliseconds: 0 };
    const rest = { understood, unread: ["image"], webQueries: ["q"], decisions: [web as never] };
    const { text } = unsure(sentences.slice(0, 1), rest);
    expect(text).toContain("The web could not be searched: It is down.");
    expect(text).toContain("I read “ofice” as “office”.");
    expect(text).toContain("(image)");
  });
});

describe("what only a model can do", () => {
  const line = "`OPENAI_BASE_URL=http://localhost:11434/v1 EMEND_MODEL=qwen3 npx emend chat`";
  const asked = (question: string, rest: Partial<State> = {}) => {
    const language = /\p{Script=Han}/u.test(question) ? "zh" : "en";
    const understood = { question, language, intent: "other", passages: 8, ...rest.understood } as const;
    return answerOf(state([], { evidence: [], ...rest, understood }), "unanswerable").text;
  };

  test("is said once, with a line that sets one up", () => {
    expect(asked("Compare the two contracts.")).toBe(
      `Not found in these documents.\n\nTo compare, summarise, count or write, set up a chat model, for example with Ollama:\n\n${line}`,
    );
    expect(asked("总结一下合同。")).toBe(
      `这些文档里没有找到。\n\n要比较、总结、统计或写作，请设置对话模型，例如用 Ollama 运行：\n\n${line}`,
    );
  });

  test("is not said of a question for a fact, nor if a model was asked", () => {
    expect(asked("Who signs the contract?")).toBe("Not found in these documents.");
    expect(asked("Compare the contracts.", { spend: { ...NOTHING_SPENT, calls: 1 } })).not.toContain("Ollama");
    expect(asked("Compare them.", { understood: { modelLeads: true } as never })).not.toContain("Ollama");
  });
});

describe("the failure tags of a run", () => {
  const tags = (attempts: Attempt[], rest: Partial<State> = {}) =>
    answerOf(state(attempts, rest), "unanswerable").failures.map(({ tag }) => tag);
  const offTopic = attempt({ verdict: verdict({ grade: "incorrect", relevance: 0.1, answerability: "none" }) });
  const onTopic = attempt({
    verdict: verdict({ grade: "ambiguous", relevance: 0.7, answerability: "none", missing: "the year" }),
  });
  const fault = (step: string, part: string, name = "EndpointError") => ({
    step,
    to: "",
    reason: { code: "done" as const },
    faults: [{ part, name, message: "it failed" }],
    calls: 1,
    tokens: 0,
    milliseconds: 0,
  });

  test("come with what the most relevant round found missing, even if a later round found less", () => {
    const late = attempt({
      verdict: verdict({ grade: "incorrect", relevance: 0, missing: "anything about “office”" }),
    });
    const spend = { ...NOTHING_SPENT, calls: 1 };
    const found = answerOf(state([onTopic, late], { verdict: late.verdict, spend }), "unanswerable");
    expect([found.missing, found.text]).toEqual(["the year", expect.stringContaining("Missing: the year.")]);
  });
  test("are NO_RECALL if nothing relevant was found", () => expect(tags([offTopic])).toEqual(["NO_RECALL"]));
  test("are NO_RECALL if nothing was found at all", () => expect(tags([], { evidence: [] })).toEqual(["NO_RECALL"]));
  test("are NEED_CONTENT if relevant evidence does not state the answer", () =>
    expect(tags([onTopic])).toEqual(["NEED_CONTENT"]));
  test("include BAD_RERANK if the relevant passage ranked below irrelevant ones", () => {
    const evidence = [piece("a", 0), piece("b", 0.1), piece("c", 0.2), piece("d", 0.1), piece("office", 0.7)];
    expect(tags([onTopic], { evidence })).toEqual(["BAD_RERANK", "NEED_CONTENT"]);
    expect(tags([onTopic], { evidence: evidence.toReversed() })).toEqual(["NEED_CONTENT"]);
  });
  test("include BAD_RERANK by the run's own thresholds", () => {
    const evidence = [0.4, 0.4, 0.4, 0.4, 0.7].map((relevance, i) => piece(`${i}`, relevance));
    const tagsWith = (context: Partial<Context>) =>
      answerOf(state([onTopic], { evidence }), "unanswerable", context).failures.map(({ tag }) => tag);
    expect(tagsWith({})).toEqual(["NEED_CONTENT"]);
    expect(tagsWith({ rewriteBelow: 0.5 })).toEqual(["BAD_RERANK", "NEED_CONTENT"]);
    expect(tagsWith({ rewriteBelow: 0.5, generateAt: 0.8 })).toEqual(["NEED_CONTENT"]);
  });
  test("are OVERGEN if the draft claimed more than its sources", () =>
    expect(tags([attempt({ report: report(claim("At nine.", "unsupported")) })])).toEqual(["OVERGEN"]));
  test("include PROMPT_FAIL if a model's reply was unusable, but not if a page was", () => {
    const unusable = fault("grade", "chat_model", "MalformedReplyError");
    expect(tags([offTopic], { decisions: [unusable] })).toEqual(["PROMPT_FAIL", "NO_RECALL"]);
    expect(tags([offTopic], { decisions: [fault("readPages", "page_reader")] })).toEqual(["NO_RECALL"]);
  });
  test("say nothing of the documents if a part failed without which they are not read", () => {
    for (const part of ["chat_model", "encoder", "embeddings", "grader", "query_understanding"])
      expect(tags([offTopic], { decisions: [fault("grade", part)] })).toEqual(["PROMPT_FAIL"]);
    expect(tags([offTopic], { decisions: [fault("retrieve", "retriever")] })).toEqual(["SOURCE_FAIL"]);
  });
  test("are PROMPT_FAIL if a model wrote nothing from sufficient evidence, and NEED_CONTENT if there was no model", () => {
    const silent = attempt({ draft: { claims: [], missing: "" }, report: report() });
    expect(tags([silent], { decisions: [{ ...fault("generate", "generator"), faults: [] }] })).toEqual(["PROMPT_FAIL"]);
    expect(tags([silent])).toEqual(["NEED_CONTENT"]);
  });
  test("have evidence and a remedy in the language of the question, and a model's refusal repeats the remedy", () => {
    const understood = { question: "办公室哪年开的？", language: "zh" as const, intent: "other" as const, passages: 8 };
    const found = answerOf(state([onTopic], { understood, spend: { ...NOTHING_SPENT, calls: 1 } }), "unanswerable");
    expect(found.failures).toEqual([
      {
        tag: "NEED_CONTENT",
        evidence: "找到的内容与主题相关（相关度0.70），但没有回答这个问题。",
        remedy: expect.stringContaining("补充相关文档"),
      },
    ]);
    expect(found.text).toContain(found.failures[0]?.remedy);
    expect(answerOf(state([onTopic], { understood }), "unanswerable").text).toBe("这些文档里没有找到。");
  });
  test("do not repeat a remedy in the refusal", () => {
    const overdone = attempt({ ...onTopic, report: report(claim("At nine.", "unsupported")) });
    const silent = attempt({ ...onTopic, draft: { claims: [], missing: "" }, report: report() });
    const decisions = [{ ...fault("generate", "generator"), faults: [] }];
    const spend = { ...NOTHING_SPENT, calls: 1 };
    const { text, failures } = answerOf(state([overdone, silent, silent], { decisions, spend }), "unanswerable");
    expect(failures.map(({ tag }) => tag)).toEqual(["OVERGEN", "NEED_CONTENT"]);
    expect(text.match(/Add a document/g)).toHaveLength(1);
  });
  test("are empty for a supported answer", () =>
    expect(tags([attempt({ report: report(claim("The office opens at eight.", "supported")) })])).toEqual([]));
});

describe("claims of an answer", () => {
  const said = (claims: CheckedClaim[], streamed: string[] = []) => {
    const checked = { draft: { claims: [], missing: "" }, report: report(...claims) };
    return texts(answerOf(state([attempt(checked)], { ...checked, streamed }), "supported"));
  };

  test("stay behind the claim that they refer to, whichever claim was streamed first", () => {
    const all = ["The library opens at nine.", "Mara Lindqvist renovated the museum.", "It opens at ten."];
    const claims = all.map((text) => claim(text, "supported"));
    expect(said(claims, [all[0] ?? ""])).toEqual(all);
    expect(said(claims, [all[1] ?? ""])).toEqual([all[1], all[2], all[0]]);
  });

  test("are not merged if each names something that the other does not", () => {
    const rule =
      "who travel abroad for customer visits book their flights and hotels through the travel desk and keep all original receipts.";
    const both = [`Employees ${rule}`, `Contractors ${rule}`];
    expect(said(both.map((text) => claim(text, "supported")))).toEqual(both);
  });
});
