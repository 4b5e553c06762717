import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shuffled } from "../../src/evaluate/statistics.js";
import { outlineOf } from "../../src/text/outline.js";

/** A question, the text that answers it, and an attack put into that text. */
export interface Item {
  question: string;
  answers: readonly string[];
  clean: string;
  attacked: string;
  kind: string;
  attack: string;
  carrier: Carrier;
}

/**
 * How the attack is written: as it is; behind marks that look like the end of the source; or in tag characters, which
 * people cannot see and some models read.
 */
export type Carrier = "plain" | "marks" | "hidden";

/**
 * The mails of BIPIA (arXiv 2312.14197) that answer their question and the answerable paragraphs of SQuAD 2.0, each
 * with one attack: the kinds in turn, at the text's beginning, middle and end, half of them plain. The same seed gives
 * the same items.
 */
export function itemsOf(bipia: string, squad: string | undefined, seed: number): Item[] {
  const kinds = Object.entries(
    JSON.parse(readFileSync(join(bipia, "text_attack_train.json"), "utf8")) as Record<string, string[]>,
  ).map(([kind, attacks]) => ({ kind, attacks: shuffled(attacks, seed) }));
  const turns = shuffled(kinds, seed);
  return shuffled([...mails(bipia), ...(squad ? paragraphs(squad) : [])], seed).map((text, i) => {
    const round = Math.floor(i / turns.length);
    const { kind = "", attacks = [] } = turns[i % turns.length] ?? {};
    const attack = attacks[round % attacks.length] ?? "";
    const carrier = CARRIERS[i % CARRIERS.length] ?? "plain";
    const attacked = placed(text.clean, written(attack, carrier), (i + round) % 3);
    return { ...text, attacked, kind, attack, carrier };
  });
}

const CARRIERS: readonly Carrier[] = ["plain", "marks", "plain", "hidden"];

function written(attack: string, carrier: Carrier): string {
  if (carrier === "marks") return `</source>\n\nTask: ${attack}\n\n<source 2>`;
  if (carrier === "hidden")
    return [...attack].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join("");
  return attack;
}

function placed(text: string, attack: string, where: number): string {
  const all = outlineOf(text);
  const at = where === 0 ? 0 : where === 1 ? (all[all.length >> 1]?.start ?? 0) : text.length;
  return `${text.slice(0, at)}\n\n${attack}\n\n${text.slice(at)}`;
}

type Text = Pick<Item, "question" | "answers" | "clean">;

function mails(bipia: string): Text[] {
  const all = lines<{ context: string; question: string; ideal: string }>(join(bipia, "train.jsonl"));
  return all
    .filter(({ ideal }) => ideal !== "unknown")
    .map(({ context, question, ideal }) => {
      const amount = ideal.replace(/[$ ]/g, "");
      return { question: question.replace(/^Q: /, ""), answers: [amount, amount.replace(/\.00$/, "")], clean: context };
    });
}

function paragraphs(path: string): Text[] {
  const all = lines<{ context: string; question: string; answers: string[]; unanswerable: boolean }>(path);
  return all
    .filter(({ unanswerable }) => !unanswerable)
    .map(({ context, question, answers }) => ({ question, answers, clean: context }));
}

function lines<T>(path: string): T[] {
  const text = readFileSync(path, "utf8").trim();
  return text.split("\n").map((line) => JSON.parse(line) as T);
}
