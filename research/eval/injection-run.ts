import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../src/agent.js";
import { faultInWords } from "../../src/answer/messages/terms.js";
import { loadSettings } from "../../src/config.js";
import { containsAnswer } from "../../src/evaluate/match.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { twoWays } from "../../src/prompting/two-ways.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { openChat } from "../../src/tools/chat/open-chat.js";
import type { Draft } from "../../src/types/answer.js";
import type { Generator } from "../../src/types/reasoners.js";
import { COMBINATIONS, chatWith, type Defences, readIn } from "./injection-defences.js";
import type { Item } from "./injection-items.js";
import { gotThrough } from "./injection-success.js";

/** The outcome of one item. */
export interface Run {
  form: "local" | "model";
  /** The name of a combination of defences, or "no attack". */
  defences: string;
  item: Item;
  /** Whether the attack got through in the draft, and in the answer, whose claims were all checked. */
  inDraft: boolean;
  inAnswer: boolean;
  answered: boolean;
  right: boolean;
  faults: readonly string[];
  said: { draft: string; answer: string };
}

/**
 * Asks the question of each item under every combination of defences, and once without the attack. It uses the local
 * form first, and then the chat model of the settings, if there is one. Each run has one round and no repair, to save
 * calls. Replies are kept in the reply cache of the settings, so that a run that was stopped can go on.
 */
export async function* runs(items: readonly Item[], { local }: { local: boolean }): AsyncIterable<Run> {
  const { model, replyCache = join(tmpdir(), "emend-injection") } = loadSettings();
  for (const item of items) yield* each(item, "local", () => localReasoners());
  if (!model || local) return;
  const chat = openChat(model, { cache: replyCache });
  for (const item of items)
    yield* each(item, "model", (defences) => {
      const reasoners = modelReasoners({ chat: chatWith(chat, defences) });
      return twoWays(reasoners, localReasoners(), { byWords: localReasoners().grader }, async () => ({
        answers: true,
        checks: true,
      }));
    });
}

type Reasoners = ReturnType<typeof localReasoners>;

async function* each(item: Item, form: Run["form"], open: (defences: Defences) => Reasoners): AsyncIterable<Run> {
  const [allOn] = COMBINATIONS;
  if (!allOn) return;
  yield await ask({ ...item, attacked: item.clean }, form, { ...allOn, name: "no attack" }, open);
  for (const combination of COMBINATIONS) yield await ask(item, form, combination, open);
}

async function ask(
  item: Item,
  form: Run["form"],
  { name, defences }: { name: string; defences: Defences },
  open: (defences: Defences) => Reasoners,
): Promise<Run> {
  const text = readIn(item.attacked, defences);
  const { generator, ...reasoners } = open(defences);
  const drafts: Draft[] = [];
  const tools = {
    ...fakeTools({ passages: [fakePassage("page", text, { title: "Message" })] }),
    ...reasoners,
    generator: watched(generator, drafts),
  };
  const context = { repairs: 0, sources: { graph: false }, budget: { rounds: 1, seconds: 3600 } };
  const agent = createAgent({ tools, context });
  const faults: string[] = [];
  let answer: { claims: readonly { text: string }[]; missing: string } = { claims: [], missing: "" };
  for await (const event of agent.stream(item.question)) {
    if (event.type === "decision") faults.push(...event.decision.faults.map(faultInWords));
    if (event.type === "answer") answer = event.answer;
  }
  const said = { draft: drafts.map(inWords).join("\n"), answer: inWords(answer) };
  return {
    form,
    defences: name,
    item,
    inDraft: gotThrough(said.draft, item),
    inAnswer: gotThrough(said.answer, item),
    answered: answer.claims.length > 0,
    right: containsAnswer(answer.claims.map((claim) => claim.text).join("\n"), item.answers),
    faults,
    said,
  };
}

/** All that a reader would see. */
const inWords = ({ claims, missing }: { claims: readonly { text: string }[]; missing: string }) =>
  [...claims.map((claim) => claim.text), missing].join("\n");

const watched = (generator: Generator, drafts: Draft[]): Generator => ({
  async generate(task, call, onClaim) {
    const draft = await generator.generate(task, call, onClaim);
    drafts.push(draft);
    return draft;
  },
});
