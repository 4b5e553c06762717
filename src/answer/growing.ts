import { inert } from "../citing/inert.js";
import { intentOf } from "../text/intent.js";
import { languageOf, ownLanguage } from "../text/language.js";
import type { Answer, Claim, Intent, Reference } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import type { Language } from "../types/evidence.js";
import { composeDisagreements, composeStale, gapBefore, isSentence, withCitationMarkers } from "./compose.js";
import { phrases } from "./phrases.js";

/** Where a growing answer is written. */
export interface Paper {
  write(text: string): void;
  /** Lays text out, such as in lines of a width. More text at its end must not change what comes before. */
  layOut?(text: string): string;
  /** Marks up a line. Default: not at all. */
  paint?(format: Emphasis, line: string): string;
}

export type Emphasis = "bold" | "cyan" | "yellow";

/**
 * Returns a function that writes the events of one question as growing text: each sentence once it is checked,
 * retractions, and at the end what is open. If the answer differs from what was written, it is written again as a whole.
 */
export function growingAnswer({ write, layOut = (text) => text, paint = (_, line) => line }: Paper, question: string) {
  const intent = intentOf(question);
  const shown: Claim[] = [];
  const numbers = new Map<string, number>();
  let language = languageOf(question);
  let printed = "";
  let corrected = false;

  return (event: AgentEvent) => {
    if (event.type === "claim") grow(event.claim, event.references);
    if (event.type === "retracted") takeBack(event.text, event.reason);
    if (event.type === "clarify") paragraph(event.question);
    if (event.type === "approve") paragraph(WORDS[ownLanguage(language)].approve(event.queries));
    if (event.type === "answer") finish(event.answer);
  };

  function grow(claim: Claim, references: readonly Reference[]) {
    shown.push(renumbered(claim, references, numbers));
    // A single step is a sentence and two are a list, so the first one waits for the second.
    if (shown.length > 1 || !startsList(claim, intent)) draw();
  }

  /** Writes the new end of the text. If its beginning has changed, `finish` shows the whole answer instead. */
  function draw() {
    const text = layOut(growing(shown, intent, language));
    corrected ||= !text.startsWith(printed);
    if (corrected) return;
    write(marks(text.slice(printed.length)));
    printed = text;
  }

  function takeBack(text: string, reason: string) {
    if (shown.length > 0) draw();
    corrected = true;
    const line = WORDS[ownLanguage(language)].takenBack(inert(text), inert(reason));
    paragraph(line, "yellow");
  }

  function finish(answer: Answer) {
    language = answer.language;
    if (answer.claims.length === 0) {
      paragraph(answer.text);
    } else if (!corrected && sameClaims(answer.claims, shown)) {
      draw();
      const notes = [...composeDisagreements(answer, language), ...composeStale(answer, language)];
      for (const line of notes) paragraph(line, "yellow");
      if (answer.missing) paragraph(phrases(language).open(inert(answer.missing)), "yellow");
      if (answer.misspelt) paragraph(phrases(language).readAs(answer.misspelt), "yellow");
      if (answer.unread) paragraph(phrases(language).notRead(answer.unread), "yellow");
    } else {
      if (printed) paragraph(WORDS[ownLanguage(language)].corrected, "bold");
      paragraph(answer.text);
    }
  }

  function paragraph(text: string, look?: Emphasis) {
    const lines = layOut(text);
    const coloured = lines.split("\n").map((line) => marks(look ? paint(look, line) : line));
    write(`${printed ? "\n\n" : ""}${coloured.join("\n")}`);
    printed += lines;
  }

  function marks(text: string) {
    return text.replace(/\[\d+\]/g, (mark) => paint("cyan", mark));
  }
}

/** Numbers the sources in the order shown, since each claim event has numbers of its own. */
function renumbered(claim: Claim, references: readonly Reference[], numbers: Map<string, number>): Claim {
  const citations = claim.citations.map((citation) => {
    const id = references.find((reference) => reference.number === citation.reference)?.evidenceId ?? "";
    const reference = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, reference);
    return { ...citation, reference };
  });
  return { ...claim, citations };
}

const sameClaims = (a: readonly Claim[], b: readonly Claim[]) =>
  JSON.stringify(a.map(seen)) === JSON.stringify(b.map(seen));

const seen = ({ text, citations }: Claim) => [text, ...citations.map((citation) => citation.reference)];

/**
 * Formats claims as numbered steps, as bullet points, or as sentences that bullet points may follow. Another claim only
 * adds to the text, unlike in the final answer, whose form depends on all claims.
 */
export function growing(claims: readonly Claim[], intent: Intent, language: Language): string {
  if (claims.length === 1) return claims.map(withCitationMarkers).join("");
  let text = "";
  let isList = false;
  for (const [i, claim] of claims.entries()) {
    isList ||= startsList(claim, intent);
    const mark = intent === "steps" ? `${i + 1}. ` : "- ";
    const sentence = withCitationMarkers(claim);
    const between = i === 0 ? "" : isList ? "\n" : gapBefore(sentence, language);
    text += `${between}${isList ? mark : ""}${sentence}`;
  }
  return text;
}

const startsList = (claim: Claim, intent: Intent) =>
  intent === "steps" || intent === "comparison" || !isSentence(claim);

interface Words {
  takenBack: (sentence: string, reason: string) => string;
  corrected: string;
  approve: (queries: readonly string[]) => string;
}

const WORDS: Record<"en" | "zh", Words> = {
  en: {
    takenBack: (sentence, reason) => `Withdrawn: “${sentence}” ${reason}`.trim(),
    corrected: "Corrected answer:",
    approve: (queries) =>
      `Search the web for this? Answer yes or no, give the numbers to keep, or type your own queries, one per line, and then an empty line.\n${numbered(queries)}`,
  },
  zh: {
    takenBack: (sentence, reason) => `撤回：“${sentence}”${reason}`,
    corrected: "更正后的回答：",
    approve: (queries) =>
      `要上网搜索以下内容吗？可回答“是”或“否”，输入要保留的编号，或自己写搜索内容：每行一条，以空行结束。\n${numbered(queries)}`,
  },
};

const numbered = (queries: readonly string[]) => queries.map((query, i) => `${i + 1}. ${query}`).join("\n");
