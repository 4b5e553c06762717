import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import { intentOf } from "../text/intent.js";
import { languageOf } from "../text/language.js";
import type { Answer, Claim, Piece, Reference } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import { composeClaims, startsList } from "./compose.js";
import { messagesIn, reasonInWords } from "./messages/index.js";
import { flattened, joined } from "./segments.js";

/** Where a growing answer is written. */
export interface TextSink {
  write(pieces: readonly Written[]): void;
  /**
   * Lays text out, for example in lines of a given width. It may change only white space, and appending text must not
   * change the layout of what comes before.
   */
  layOut?(text: string): string;
  /** Called if what was written is no longer right: the whole answer is written next. */
  reset?(): void;
}

/** A piece as it is laid out. */
export interface Written extends Piece {
  look?: "bold" | "yellow";
}

/**
 * Returns a function that writes the events of one question as growing text: each sentence once it is checked,
 * retractions, and at the end the notes. If the answer differs from what was written, it is written again as a whole.
 */
export function growingAnswer({ write, layOut = (text) => text, reset = () => {} }: TextSink, question: string) {
  const intent = intentOf(question);
  const shown: Claim[] = [];
  const numbers = new Map<string, number>();
  let language = languageOf(question);
  let printed = "";
  let corrected = false;

  return (event: AgentEvent) => {
    if (event.type === "claim") grow(event.claim, event.references);
    if (event.type === "retracted") takeBack(event.text, reasonInWords(event, language));
    if (event.type === "clarify") add([{ text: event.question }]);
    if (event.type === "approve")
      add([{ text: [messagesIn(language).approve, ...numbered(event.queries)].join("\n") }]);
    if (event.type === "answer") finish(event.answer);
  };

  function grow(claim: Claim, references: readonly Reference[]) {
    shown.push(renumbered(claim, references, numbers));
    // A single step is a sentence and two are a list, so the first one waits for the second.
    if (shown.length > 1 || claim.form || !startsList(claim, intent)) draw();
  }

  /**
   * Writes the new end of the text. If the part already written has changed, `finish` shows the whole answer instead.
   */
  function draw() {
    const pieces = flattened(composeClaims(shown, intent, language));
    const text = layOut(joined(pieces));
    corrected ||= !text.startsWith(printed);
    if (corrected) return;
    write(cut(text, pieces, printed.length));
    printed = text;
  }

  function takeBack(text: string, reason: string) {
    if (shown.length > 0) draw();
    corrected = true;
    add([{ text: messagesIn(language).takenBack(sanitizeMarkdown(text), sanitizeMarkdown(reason)) }], "yellow");
  }

  function finish(answer: Answer) {
    language = answer.language;
    if (answer.claims.length > 0 && !corrected && sameClaims(answer.claims, shown)) {
      draw();
      for (const { kind, pieces } of answer.segments) if (kind === "note") add(pieces, "yellow");
    } else {
      if (answer.claims.length > 0 && printed) add([{ text: messagesIn(language).corrected }], "bold");
      reset();
      add(flattened(answer.segments));
    }
  }

  /** Adds a paragraph. */
  function add(pieces: readonly Piece[], look?: "bold" | "yellow") {
    const text = layOut(joined(pieces));
    const gap = printed ? [{ text: "\n\n" }] : [];
    write([...gap, ...cut(text, pieces, 0).map((piece) => ({ ...piece, ...(look && { look }) }))]);
    printed += text;
  }
}

/**
 * Cuts a text into the pieces that it was laid out from, which differ from it only in white space.
 * @param from the offset before which text is left out.
 */
function cut(text: string, pieces: readonly Piece[], from: number): Piece[] {
  let at = 0;
  const parts = pieces.map((piece) => {
    const start = at;
    for (let left = piece.text.replace(/\s/g, "").length; left > 0 && at < text.length; at++)
      if (!/\s/.test(text.charAt(at))) left--;
    return { ...piece, text: text.slice(Math.max(start, from), Math.max(at, from)) };
  });
  return [...parts, { text: text.slice(Math.max(at, from)) }].filter((part) => part.text !== "");
}

/** Numbers the sources in the order shown, since each claim event numbers them from 1. */
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

const numbered = (queries: readonly string[]) => queries.map((query, i) => `${i + 1}. ${query}`);
