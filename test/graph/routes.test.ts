import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterCheck, afterGenerate, afterGrade, afterRewrite } from "../../src/graph/routes.js";
import { asEvidence } from "../../src/reading/evidence.js";
import { Context } from "../../src/state/context.js";
import type { Attempt, State } from "../../src/state/state.js";
import { LookUp, type Query } from "../../src/types/answer.js";
import type { Decision } from "../../src/types/events.js";
import type { Verdict } from "../../src/types/evidence.js";

const withGraph = Context.parse({ sources: { tables: false, web: false } });
const withWeb = Context.parse({ sources: { tables: false, graph: false } });
const context = { ...withGraph, sources: { tables: false, graph: false, web: false } };
const spend = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, milliseconds: 0 };
const verdict = (rest: Partial<Verdict> = {}): Verdict => ({
  grade: "ambiguous",
  relevance: 0.5,
  answerability: "none",
  missing: "",
  entities: [],
  clarification: "",
  ...rest,
});
const attempt = (rest: Partial<Attempt> = {}): Attempt => ({
  query: "q",
  evidenceIds: ["a"],
  verdict: verdict(),
  repair: false,
  spend,
  ...rest,
});
const report = (verdicts: readonly ("supported" | "unsupported")[], missing = "") => ({
  hallucinationDetected: verdicts.includes("unsupported"),
  claims: verdicts.map((v, i) => ({
    text: `claim ${i}`,
    verdict: v,
    reason: { code: "unchecked" as const },
    quotes: [],
  })),
  stages: [],
  contextSufficiency: "sufficient" as const,
  correctionSuggestion: "",
  missing,
});
const ASKED: Query = { text: "q", reason: { code: "asked" } };
const took = (...steps: string[]) =>
  steps.map(
    (step): Decision => ({
      ...{ step, to: "", reason: { code: "next_step" }, faults: [], calls: 0, tokens: 0, milliseconds: 0 },
    }),
  );
const faulty = (...steps: string[]) =>
  took(...steps).map((taken) => ({
    ...taken,
    faults: [{ part: "retriever", name: "StoreUnavailableError", message: "" }],
  }));
const SEARCHED_THRICE = ["retrieve", "grade", "retrieve", "grade", "retrieve", "grade"];
const state = (rest: Partial<State> = {}): State => ({
  messages: [],
  question: "q",
  askedIn: "",
  answering: "",
  said: "",
  clarification: "",
  queries: [ASKED],
  evidence: [],
  tables: [],
  excluded: ["a"],
  webQueries: [],
  webResults: [],
  lookUps: [],
  findings: [],
  attempts: [attempt()],
  streamed: [],
  decisions: took("understand", "retrieve", "grade"),
  spend,
  verdict: verdict(),
  ...rest,
});

describe("the knowledge graph as a rung", () => {
  const unanswered = state({ verdict: verdict({ grade: "incorrect", relevance: 0.1 }) });
  const asked = (rest: Partial<State>) =>
    state({ decisions: took("understand", "retrieve", "grade", "queryGraph"), ...rest });
  test("is asked once if the documents do not answer, before the query is rewritten", () => {
    expect(afterGrade(unanswered, withGraph).to).toBe("queryGraph");
    expect(afterGrade(state(), withGraph).to).toBe("retrieve");
    const again = { ...unanswered, decisions: took("understand", "grade", "queryGraph", "grade") };
    expect(afterGrade(again, withGraph).to).toBe("rewriteQuery");
  });
  test("is asked even when no document could be searched", () => {
    const decisions = faulty("understand", "retrieve", "grade");
    expect(afterGrade({ ...unanswered, decisions }, withGraph).to).toBe("queryGraph");
    expect(afterGrade({ ...unanswered, decisions }, context).to).toBe("respond");
  });
  test("and every other allowed source must fail before the run stops with failed sources", () => {
    const nothing = (...steps: string[]) => ({
      ...unanswered,
      attempts: [],
      decisions: faulty("understand", ...steps),
    });
    const everything = { ...context, sources: { tables: false, graph: true, web: true } };
    const first = nothing("retrieve", "grade");
    expect(afterGrade(first, withWeb).to).not.toBe("respond");
    expect(afterGrade(first, withGraph).to).not.toBe("respond");
    const web = nothing("retrieve", "grade", "searchWeb", "readPages", "grade");
    const graph = nothing("retrieve", "grade", "queryGraph", "grade");
    expect(afterGrade(web, withWeb).to).toBe("respond");
    expect(afterGrade(graph, withGraph).to).toBe("respond");
    expect(afterGrade(graph, everything).to).not.toBe("respond");
    expect(afterGrade(web, everything).to).not.toBe("respond");
    const both = nothing("retrieve", "grade", "queryGraph", "grade", "searchWeb", "readPages", "grade");
    expect(afterGrade(both, everything)).toMatchObject({
      to: "respond",
      reason: { code: "documents_failed" },
    });
  });
  test("is asked if a draft is empty", () => {
    const silent = state({ verdict: verdict({ answerability: "full", grade: "correct" }), report: report([]) });
    expect(afterCheck(silent, withGraph).to).toBe("queryGraph");
  });
  test("is asked about the missing part of a draft", () => {
    const partly = state({ verdict: verdict({ answerability: "partial" }), report: report(["supported"], "the year") });
    expect(afterCheck(partly, withGraph).to).toBe("queryGraph");
  });
  test("does not change the next step if it finds nothing", () => {
    expect(afterGrade(asked({ verdict: verdict({ grade: "incorrect" }) }), withGraph).to).toBe("rewriteQuery");
    const drafted = report(["supported"], "the year");
    const answered = asked({ report: drafted, attempts: [attempt({ report: drafted })] });
    expect(afterGrade({ ...answered, verdict: verdict({ grade: "correct" }) }, withGraph).to).toBe("rewriteQuery");
  });
  test("does not use up a search round of the documents", () => {
    const decisions = took("understand", "retrieve", "grade", "retrieve", "grade", "queryGraph", "grade");
    expect(afterGrade({ ...unanswered, decisions, queries: [ASKED] }, withGraph).to).toBe("rewriteQuery");
  });
});

describe("the web as a rung", () => {
  const spent = took("understand", ...SEARCHED_THRICE);
  const unanswered = state({ verdict: verdict({ grade: "incorrect", relevance: 0.1 }), decisions: spent });

  test("is searched once if neither the documents nor other queries answer", () => {
    expect(afterGrade({ ...unanswered, decisions: took("understand", "retrieve", "grade") }, withWeb).to).toBe(
      "rewriteQuery",
    );
    expect(afterGrade(unanswered, withWeb).to).toBe("searchWeb");
    const searched = [...spent, ...took("searchWeb", "readPages", "grade")];
    expect(afterGrade({ ...unanswered, decisions: searched }, withWeb).to).toBe("respond");
  });
  test("is searched if no new query is found", () => {
    const decisions = took("understand", "retrieve", "grade", "rewriteQuery");
    expect(afterRewrite(state({ decisions, queries: [ASKED] }), withWeb).to).toBe("searchWeb");
  });
  test("is not searched if the budget is spent or the draft is supported", () => {
    const budget = { ...withWeb.budget, calls: 1 };
    expect(afterGrade({ ...unanswered, spend: { ...spend, calls: 1 } }, { ...withWeb, budget }).to).toBe("respond");
    expect(afterCheck(state({ report: report(["supported"]) }), withWeb).to).toBe("respond");
  });
});

describe("after grading", () => {
  test("sufficient evidence leads to a draft, even if the budget is spent", () => {
    const spent = { ...spend, calls: 12 };
    expect(afterGrade(state({ verdict: verdict({ grade: "correct" }), spend: spent }), context).to).toBe("generate");
  });
  test("partly relevant evidence widens the search once", () => {
    expect(afterGrade(state(), context).to).toBe("retrieve");
    const widened = state({ attempts: [attempt(), attempt({ evidenceIds: ["a", "b"] })] });
    expect(afterGrade(widened, context).to).toBe("rewriteQuery");
  });
  test("a round with the evidence of the previous round ends the widening, and one with older evidence does not", () => {
    const decisions = took("understand", "rewriteQuery", "retrieve", "grade");
    const seen = (...rounds: string[][]) =>
      state({
        decisions,
        queries: ["q", "r"].map((text) => ({ ...ASKED, text })),
        attempts: rounds.map((evidenceIds, i) => attempt({ query: ["q", "r", "s"][i] ?? "", evidenceIds })),
      });
    expect(afterGrade(seen(["a"], ["b"], ["b"]), context).to).not.toBe("retrieve");
    expect(afterGrade(seen(["a"], ["a"], ["b"]), context).to).toBe("retrieve");
  });
  test("irrelevant evidence leads to a rewritten query", () => {
    expect(afterGrade(state({ verdict: verdict({ grade: "incorrect", relevance: 0.1 }) }), context).to).toBe(
      "rewriteQuery",
    );
  });
  test("an ambiguous question is returned to the user, once", () => {
    const unclear = state({ verdict: verdict({ clarification: "Which one?" }) });
    expect(afterGrade(unclear, context).to).toBe("clarify");
    expect(afterGrade({ ...unclear, decisions: took("understand", "clarify") }, context).to).not.toBe("clarify");
  });
  test("evidence that may answer leads to a draft only if nothing else helps, and that draft is never repaired", () => {
    const unsure = verdict({ answerability: "unknown", probability: 0.4 });
    const draft = { claims: [], missing: "", quoted: true };
    const looked = { verdict: unsure, draft, decisions: took("understand", ...SEARCHED_THRICE) };
    expect(afterGrade(state({ verdict: unsure }), context).to).not.toBe("generate");
    expect(afterGrade(state(looked), context).to).toBe("generate");
    const checked = (verdicts: Parameters<typeof report>[0]) =>
      afterCheck(
        state({ ...looked, report: { ...report(verdicts), unsure: verdicts.includes("supported") } }),
        context,
      );
    expect(checked(["supported", "unsupported"])).toMatchObject({ to: "respond", stop: "unsure" });
    expect(checked(["unsupported"])).toMatchObject({ to: "respond", stop: "unsupported" });
  });

  test("a passage on the topic is quoted only after the other reading of the question and every source", () => {
    const onTopic = verdict({ answerability: "unknown", probability: 0.1 });
    const otherwise = { question: "What about it?", intent: "other", passages: 8 } as const;
    const understood = { ...state({}).understood, otherwise } as State["understood"];
    const all = { ...context, sources: { ...context.sources, graph: true, web: true } };
    const next = (steps: string[], rest: Partial<State> = {}) =>
      afterGrade(state({ verdict: onTopic, decisions: took("understand", ...steps), ...rest }), all).to;
    expect(next(["retrieve", "grade"], { understood })).toBe("queryGraph");
    expect(next(["retrieve", "grade", "queryGraph", "grade"], { understood })).toBe("rewriteQuery");
    expect(next([...SEARCHED_THRICE, "queryGraph", "grade"])).toBe("searchWeb");
    expect(next([...SEARCHED_THRICE, "queryGraph", "grade", "searchWeb", "grade"])).toBe("generate");
  });

  test("a partial answer is drafted if nothing else helps", () => {
    const decisions = took("understand", ...SEARCHED_THRICE);
    const partial = state({ decisions, verdict: verdict({ answerability: "partial", relevance: 0.9 }) });
    expect(afterGrade(partial, context).to).toBe("generate");
  });
  test("thresholds come from the context", () => {
    const weak = state({
      verdict: verdict({ answerability: "partial", relevance: 0.4 }),
      spend: { ...spend, calls: 12 },
    });
    expect(afterGrade(weak, context)).toMatchObject({ to: "respond", stop: "calls_spent" });
    expect(afterGrade(weak, Context.parse({ generateAt: 0.4 })).to).toBe("generate");
  });
});

const led: State["understood"] = { question: "q", language: "en", intent: "other", passages: 12, modelLeads: true };
const everywhere = Context.parse({});
const piece = asEvidence({ id: "a", title: "", uri: "", text: "It opens at eight." });

describe("a model that leads", () => {
  const leading = (rest: Partial<State> = {}) => state({ understood: led, evidence: [piece], ...rest });

  test("reads what was found, whatever its grade", () => {
    for (const grade of ["correct", "ambiguous", "incorrect"] as const)
      expect(afterGrade(leading({ verdict: verdict({ grade }) }), everywhere)).toMatchObject({
        to: "generate",
        reason: { code: "model_reads" },
      });
  });

  test("is not asked without anything to read while another source is left", () => {
    const empty = leading({ evidence: [] });
    expect(afterGrade(empty, everywhere).to).toBe("queryGraph");
    expect(afterGrade(empty, withWeb).to).toBe("searchWeb");
    expect(afterGrade(empty, context).to).toBe("generate");
  });

  test("is not asked if every source failed, or if the question asks nothing", () => {
    const empty = leading({ evidence: [], decisions: faulty("understand", "retrieve", "grade") });
    expect(afterGrade(empty, context)).toMatchObject({ to: "respond", reason: { code: "documents_failed" } });
    const unclear = leading({ evidence: [], verdict: verdict({ clarification: "Which one?" }) });
    expect(afterGrade(unclear, context)).toMatchObject({ to: "clarify", reason: { code: "ambiguous" } });
  });

  const asking = (...by: LookUp["by"][]) =>
    leading({
      decisions: took("understand", "retrieve", "grade", "generate"),
      lookUps: by.map((one) => ({ by: one, words: "x" })),
    });

  test("gets what it asks for: from the documents first, then from the graph, then from the web", () => {
    for (const by of ["search", "find", "open", "outline"] as const)
      expect(afterGenerate(asking("web", "graph", by), everywhere)).toMatchObject({
        to: "retrieve",
        reason: { code: "model_asks", queries: ["web: x", "graph: x", `${by}: x`] },
      });
    expect(afterGenerate(asking("web", "graph"), everywhere).to).toBe("queryGraph");
    expect(afterGenerate(asking("web"), everywhere).to).toBe("searchWeb");
    expect(afterGrade(asking("web"), everywhere)).toMatchObject({ to: "searchWeb", reason: { code: "model_asks" } });
  });

  test("gets nothing from a source that is off or was asked already, nor once the rounds or the budget are spent", () => {
    expect(afterGenerate(asking("web", "graph"), context).to).toBe("checkAnswer");
    const asked = { ...asking("web", "graph"), decisions: took("understand", "queryGraph", "searchWeb", "generate") };
    expect(afterGenerate(asked, everywhere).to).toBe("checkAnswer");
    const searched = { ...asking("search"), decisions: took("understand", ...SEARCHED_THRICE, "generate") };
    expect(afterGenerate(searched, everywhere).to).toBe("checkAnswer");
    const spent = { ...asking("search"), spend: { ...spend, calls: 99 } };
    expect(afterGenerate(spent, everywhere).to).toBe("checkAnswer");
    expect(afterGrade(spent, everywhere).to).toBe("generate");
  });

  test("is checked if it asks for nothing", () => {
    const draft = { claims: [{ text: "x", citations: [] }], missing: "" };
    expect(afterGenerate(leading({ draft }), everywhere)).toMatchObject({
      to: "checkAnswer",
      reason: { code: "claims_to_check", count: 1 },
    });
    expect(afterGenerate(leading(), everywhere).reason).toEqual({ code: "draft_empty" });
  });

  test("has said what to search for, so its question is not reworded after the check", () => {
    const open = report(["supported"], "the year");
    const partly = leading({ report: open, attempts: [attempt({ report: open })] });
    expect(afterCheck(partly, context)).toMatchObject({ to: "respond", stop: "partly_supported" });
    expect(afterCheck(partly, withGraph).to).toBe("queryGraph");
  });
});

describe("after a rewrite", () => {
  test("a new query is searched, and a repeated one is not", () => {
    const decisions = took("understand", "retrieve", "grade", "rewriteQuery");
    const queries = [ASKED, { ...ASKED, text: "p" }];
    expect(afterRewrite(state({ decisions, queries }), context).to).toBe("retrieve");
    expect(afterRewrite(state({ decisions }), context)).toMatchObject({ to: "respond", stop: "query_stagnation" });
  });
});

describe("after checking", () => {
  const draft = (...texts: string[]) => ({ claims: texts.map((text) => ({ text, citations: [] })), missing: "" });

  test("a supported draft is the answer", () => {
    expect(afterCheck(state({ report: report(["supported"]) }), context)).toMatchObject({
      to: "respond",
      stop: "supported",
    });
  });
  test("an unsupported draft is repaired once", () => {
    const first = state({ report: report(["supported", "unsupported"]), attempts: [attempt({ draft: draft("x") })] });
    expect(afterCheck(first, context).to).toBe("generate");
    const repaired = {
      ...first,
      attempts: [attempt({ draft: draft("x") }), attempt({ repair: true, draft: draft("y") })],
    };
    expect(afterCheck(repaired, context).to).toBe("rewriteQuery");
  });
  test("a draft of quotes is never repaired, since code would choose the same ones", () => {
    const quoted = { ...draft("x"), quoted: true };
    const checked = (verdicts: Parameters<typeof report>[0]) =>
      afterCheck(state({ draft: quoted, report: report(verdicts), attempts: [attempt({ draft: quoted })] }), context);
    expect(checked(["supported", "unsupported"]).to).toBe("rewriteQuery");
    expect(checked(["supported"])).toMatchObject({ to: "respond", reason: { code: "evidence_quoted" } });
  });
  test("the same draft twice ends the loop", () => {
    const attempts = [attempt({ draft: draft("x") }), attempt({ repair: true, draft: draft("x") })];
    const stuck = state({ report: report(["unsupported"]), attempts });
    expect(afterCheck(stuck, context)).toMatchObject({ to: "respond", stop: "answer_stagnation" });
  });
  test("the same draft twice still leads to a source that was not asked yet", () => {
    const attempts = [attempt({ draft: draft("x") }), attempt({ repair: true, draft: draft("x") })];
    const stuck = state({ report: report(["unsupported"]), attempts });
    expect(afterCheck(stuck, withGraph).to).toBe("queryGraph");
    expect(afterCheck(stuck, withWeb).to).toBe("searchWeb");
    const asked = { ...stuck, decisions: took("understand", "retrieve", "grade", "searchWeb", "readPages", "grade") };
    expect(afterCheck(asked, withWeb)).toMatchObject({ to: "respond", stop: "answer_stagnation" });
  });
  test("a missing part leads to another search, unless the evidence was graded as sufficient", () => {
    const open = report(["supported"], "the date");
    const partly = state({ report: open, attempts: [attempt({ report: open })] });
    expect(afterCheck(partly, context).to).toBe("rewriteQuery");
    const enough = { ...partly, verdict: verdict({ answerability: "full", grade: "correct" }) };
    expect(afterCheck(enough, context)).toMatchObject({ to: "respond", stop: "partly_supported" });
  });
});

test("a spent budget leads out of every loop, for random states", () => {
  fc.assert(
    fc.property(
      fc.record({
        relevance: fc.double({ min: 0, max: 1, noNaN: true }),
        answerability: fc.constantFrom("full", "partial", "none", "unknown" as const),
        verdicts: fc.array(fc.constantFrom("supported" as const, "unsupported" as const)),
        missing: fc.string(),
        clarification: fc.string(),
        modelLeads: fc.boolean(),
        lookUps: fc.array(fc.record({ by: fc.constantFrom(...LookUp.shape.by.options), words: fc.string() })),
      }),
      ({ verdicts, missing, modelLeads, lookUps, ...rest }) => {
        const spent = state({
          ...(modelLeads && { understood: led, evidence: [piece] }),
          lookUps,
          verdict: verdict({ ...rest, missing }),
          report: report(verdicts, missing),
          spend: { ...spend, milliseconds: 60_000 },
        });
        expect(["generate", "respond"]).toContain(afterGrade(spent, context).to);
        expect(afterGrade({ ...spent, report: undefined }, everywhere).to).toMatch(/^(?:generate|respond)$/);
        expect(afterGenerate(spent, everywhere).to).toBe("checkAnswer");
        expect(afterCheck(spent, context).to).toBe("respond");
      },
    ),
  );
});
