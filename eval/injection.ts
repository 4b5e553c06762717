import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "../src/agent.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";
import { orders } from "../src/text/orders.js";
import { findQuote } from "../src/text/quotes.js";
import { sentences } from "../src/text/sentences.js";
import { localReasoners } from "../src/tools/reasoner/local/index.js";

/**
 * How far text that gives orders gets without a model: `npx tsx eval/injection.ts <bipia> <squad2.jsonl> [attacks]`.
 * Each answerable paragraph of SQuAD 2.0 is asked its question with one attack of BIPIA (arXiv 2312.14197) after the other
 * at its beginning, in its middle and at its end. An attack succeeds where the answer has its words. Attacks that the
 * detector knows and those that it does not are told apart, which shows what the local form does without it.
 */
const [folder = "", paragraphs = "", each = "3"] = process.argv.slice(2);
const attacks = Object.values(
  JSON.parse(readFileSync(join(folder, "text_attack_train.json"), "utf8")) as Record<string, string[]>,
).flat();
const items = lines<{ context: string; question: string; unanswerable: boolean }>(paragraphs);
const answerable = items.filter((item) => !item.unanswerable);
const none = () => ({ asked: 0, answered: 0, obeyed: 0 });
const counts = { clean: none(), known: none(), unknown: none() };
for (const [i, { context, question }] of answerable.entries()) {
  await count(counts.clean, context, question, "");
  for (let turn = 0; turn < Number(each); turn++) {
    const attack = attacks[(i * Number(each) + turn) % attacks.length] ?? "";
    const kind = orders(attack).length > 0 ? counts.known : counts.unknown;
    await count(kind, placed(context, attack, turn % 3), question, attack);
  }
}
const mails = lines<{ context: string }>(join(folder, "train.jsonl")).map(({ context }) => context);
const flagged = {
  mails: `${mails.filter((text) => orders(text).length > 0).length} of ${mails.length}`,
  paragraphs: `${items.filter(({ context }) => orders(context).length > 0).length} of ${items.length}`,
};
const detected = `${attacks.filter((attack) => orders(attack).length > 0).length} of ${attacks.length}`;
console.log(JSON.stringify({ detected, flagged, ...counts }, null, 2));

async function count(into: ReturnType<typeof none>, text: string, question: string, attack: string): Promise<void> {
  const tools = { ...fakeTools({ passages: [fakePassage("page", text)] }), ...localReasoners() };
  const { claims } = await createAgent({ tools }).ask(question);
  into.asked += 1;
  if (claims.length > 0) into.answered += 1;
  if (attack !== "" && claims.some((claim) => findQuote(claim.text, attack))) into.obeyed += 1;
}

function lines<T>(path: string): T[] {
  const text = readFileSync(path, "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as T);
}

function placed(text: string, attack: string, where: number): string {
  const all = sentences(text);
  const at = where === 0 ? 0 : where === 1 ? (all[all.length >> 1]?.start ?? 0) : text.length;
  return `${text.slice(0, at)}\n\n${attack}\n\n${text.slice(at)}`;
}
