import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { escapedJson, type Screen } from "../../src/cli/screen.js";
import { trace } from "../../src/cli/trace.js";
import { transcript } from "../../src/cli/transcript.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { contextOf } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, fakeTools, inMemoryKnowledge } from "../../src/testing/index.js";
import { plainHeads } from "../../src/text/orders.js";
import type { Chat } from "../../src/tools/chat/port.js";
import type { Triple } from "../../src/tools/knowledge/port.js";
import { type Answer, Citing } from "../../src/types/answer.js";
import type { AgentEvent, Decision } from "../../src/types/events.js";
import type { Passage } from "../../src/types/evidence.js";
import { fakeEncoder } from "../encoder.js";
import { ATTACKS, cited, numbers, UNSEEN, working } from "../shown.js";

/** Everything that one run shows: the message, the terminal output, the log and the answer as data. */
async function asked(question: string, tools: Tools, citing: Citing = "quote") {
  const { graph } = createAgent({ tools });
  const context = contextOf({ context: { citing } });
  let printed = "";
  const look = { width: 80, paint: (_format: unknown, text: string) => text };
  const screen: Screen = {
    ...look,
    write: (text) => {
      printed += text;
    },
  };
  const show = transcript(screen, question);
  const decisions: Decision[] = [];
  let answer: Answer | undefined;
  let message = "";
  for await (const [mode, chunk] of await graph.stream({ question }, { context, streamMode: ["custom", "values"] })) {
    if (mode === "values") message = chunk.messages?.at(-1)?.text ?? "";
    else {
      const event = chunk as AgentEvent;
      show(event);
      if (event.type === "decision") decisions.push(event.decision);
      if (event.type === "answer") answer = event.answer;
    }
  }
  if (!answer) throw new Error("no answer");
  return { message, printed, logged: trace(decisions, answer, look), answer };
}

/** Nothing in it is active, and it cites only its references, each once for every claim that rests on it. */
function expectOnlyOurs({ message, printed, logged, answer }: Awaited<ReturnType<typeof asked>>, isCited = true) {
  expect(working(answer.text), message).toEqual([]);
  const own = answer.references.flatMap(({ uri }) => URL.parse(uri)?.origin ?? []);
  expect(working(message, own), message).toEqual([]);
  for (const text of [message, printed, logged]) expect(text).not.toMatch(UNSEEN);
  expect(escapedJson(answer)).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}/u);
  expect(JSON.parse(escapedJson(answer))).toEqual(JSON.parse(JSON.stringify(answer)));

  const ours = answer.claims.flatMap(({ citations }) => [...new Set(citations.map(({ reference }) => reference))]);
  const listed = answer.references.map(({ number }) => number);
  for (const found of cited(answer.text)) expect(found, answer.text).toEqual(isCited ? ours : []);
  expect(numbers(message), message).toEqual([...(isCited ? ours : []), ...listed]);
  expect(numbers(logged), logged).toEqual([]);
  // Withdrawn sentences on the terminal have citations too.
  expect(numbers(printed).slice(-listed.length), printed).toEqual(listed);
  for (const number of numbers(printed)) expect(listed, printed).toContain(number);
}

const FORMS = [
  {
    question: "When does the Lisbon office open?",
    sentence: (attack: string) => `The Lisbon office opens at eight${attack}.`,
    beside: "The Lisbon office opens at eight, says the porter.",
  },
  {
    question: "上海办公室几点开门？",
    sentence: (attack: string) => `上海办公室早上九点开门${attack}。`,
    beside: "上海办公室早上九点开门，门卫说。",
  },
];

/** Each attack and each style in one of the languages, by turns. */
const inTurn = <T>(all: readonly T[], language: number) => all.filter((_, i) => i % FORMS.length === language);

describe.each(FORMS.map((form, language) => ({ ...form, language })))(
  "an answer from a hostile document: $question",
  ({ question, sentence, beside, language }) => {
    /** A document with the attack in all its fields, beside a good one. */
    const passages = (attack: string): Passage[] => [
      fakePassage("evil", `${sentence(attack)}\n\n| ${attack} | b |\n|---|---|\n| c ${attack} | d |`, {
        title: `Hours ${attack}`,
        uri: `http://host/${attack}`,
        section: `Offices › ${attack}`,
        reviewedAt: attack.slice(0, 10),
      }),
      fakePassage("good", beside),
    ];

    test.each(inTurn(ATTACKS, language))("is safe without a model if the document contains %s", async (_, attack) => {
      const encoder = fakeEncoder({ judge: () => ({ relevance: 0.95, answerability: 0.95, supported: 0.95 }) });
      const parts = { ...fakeTools({ passages: passages(attack) }), encoder, ...localReasoners({ encoder }) };
      const run = await asked(question, parts);
      expectOnlyOurs(run);
      expect(run.answer.references.length).toBeGreaterThan(0);
      for (const { quote, start, end, reference } of run.answer.claims.flatMap(({ citations }) => citations)) {
        const { evidenceId, title, uri } = run.answer.references[reference - 1] ?? {};
        const source = passages(attack).find(({ id }) => id === evidenceId);
        expect(source?.text.slice(start, end)).toBe(quote);
        // A title is shown on one line, without invisible characters.
        expect([title, uri]).toEqual([source && plainHeads(source).title, source?.uri]);
      }
    });

    test.each(inTurn(ATTACKS, 1 - language))(
      "is safe if it is a refusal and the question contains %s",
      async (_, attack) => {
        const run = await asked(`${question} ${attack} Zanzibar`, fakeTools({ passages: [], ...localReasoners() }));
        expect(run.answer.claims).toEqual([]);
        expectOnlyOurs(run);
      },
    );

    test.each(inTurn(Citing.options, language))(
      "is safe with a model that copies the document, in the style %s",
      { timeout: 120_000 },
      async (citing) => {
        let claims = 0;
        for (const [, attack] of ATTACKS) {
          const { standalone: _, ...reasoners } = modelReasoners({ chat: copying(sentence(attack)) });
          const run = await asked(question, fakeTools({ passages: passages(attack), ...reasoners }), citing);
          expectOnlyOurs(run, citing !== "sources");
          claims += run.answer.claims.length;
        }
        expect(claims).toBeGreaterThan(ATTACKS.length / 2);
      },
    );
  },
);

test.each(ATTACKS)("an answer from a graph is safe if its names contain %s", async (_, attack) => {
  const source = { id: "g", documentId: "g", title: attack, uri: attack, section: attack, reviewedAt: "", hash: "" };
  const triple: Triple = {
    subject: { name: "Lisbon office", type: "Office", aliases: [] },
    predicate: "manager",
    object: { name: `Ann ${attack}`, type: "Person", aliases: [] },
    quote: "",
  };
  const knowledge = inMemoryKnowledge([{ source, triples: [triple] }]);
  const run = await asked("Who is the manager of the Lisbon office?", fakeTools({ knowledge, ...localReasoners() }));
  expectOnlyOurs(run);
  expect(run.answer.references.map(({ source: kind }) => kind)).toEqual(["graph"]);
});

/** A model that finds the first source relevant and copies its text into every field. */
function copying(text: string): Chat {
  const said: Record<string, unknown> = {
    grade: {
      found: text,
      answerable: "full",
      states: ["1.1"],
      helps: [],
      missing: text,
      entities: [],
      clarification: "",
    },
    answer: { claims: [{ text, source: 1, sources: ["1", "2"], quote: text }], text, sources: ["1"], missing: text },
    annotate: { 1: ["1.1"] },
    check: { 1: { reason: text, verdict: "supported" } },
  };
  return {
    name: "copying",
    identity: text,
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ schemaName, onText }) => {
      const reply = JSON.stringify(said[schemaName] ?? {});
      onText?.(reply);
      return { text: reply, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 1 } };
    },
  };
}
