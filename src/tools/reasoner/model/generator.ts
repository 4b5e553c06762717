import { z } from "zod";
import { languageOf } from "../../../text/language.js";
import { findQuote } from "../../../text/quotes.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Generator, Task } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { completeItems } from "./json.js";
import { missingOf } from "./missing.js";
import { generatePrompt, keptLabels, neutral } from "./prompts.js";
import { list, words } from "./schema.js";

/** Drafts by one call to a model, streamed: claims are told as they are written. */
export function modelGenerator(chat: Chat): Generator {
  return {
    async generate(task, call, onClaim) {
      call.signal.throwIfAborted();
      if (keptLabels(task.evidence).length === 0) return { claims: [], missing: "" };
      const tell = once(onClaim);
      const reply = await ask(
        chat,
        {
          name: "answer",
          prompt: generatePrompt(task),
          schema: Reply,
          complaint: ({ claims }) => languageComplaint(task, claims),
          salvage: (text) => {
            const claims = completeClaims(text);
            return claims.length > 0 ? { claims, missing: "" } : undefined;
          },
          onText: newClaims((said) => {
            // What is in the wrong language waits: it may be repaired.
            if (speaks(task)(said)) claimOf(task, said).forEach(tell);
          }),
        },
        call,
      );
      const claims = reply.claims.flatMap((said) => claimOf(task, said));
      claims.forEach(tell);
      return { claims, missing: missingOf(reply.missing, task) };
    },
  };
}

const Said = z.object({ text: words(400), source: z.coerce.number(), quote: words(600) });
type Said = z.infer<typeof Said>;

const Reply = z.object({ claims: list(Said, 12), missing: words(200) });

const completeClaims = (text: string): Said[] =>
  completeItems(text, "claims").flatMap((item) => Said.safeParse(item).data ?? []);

/** Follows a text that grows, or starts again, and hands on each claim once it is complete. */
function newClaims(found: (said: Said) => void) {
  let read = 0;
  let handed = 0;
  return (text: string) => {
    if (text.length < read) handed = read = 0;
    const ends = text.includes("}", read);
    read = text.length;
    if (!ends) return;
    const claims = completeClaims(text);
    claims.slice(handed).forEach(found);
    handed = claims.length;
  };
}

/** A claim with its quote in the source's own characters; none where nothing is said or no such source was given. */
function claimOf(task: Task, said: Said): DraftClaim[] {
  const text = said.text.replace(LABELS, "").trim();
  const cited = citedIn(task, said.source, said.quote.replace(LABELS, "").trim());
  return text === "" || cited === undefined ? [] : [{ text, citations: [cited] }];
}

const LABELS = /\[\d+\.\d+\]\s?/g;

/** The cited source; where the quote stands in another alone, that one. */
function citedIn(task: Task, source: number, quote: string): DraftClaim["citations"][number] | undefined {
  const named = task.evidence[source - 1];
  const holds = (text: string) => findQuote(neutral(text), neutral(quote));
  const holders = task.evidence.filter(({ text }) => holds(text));
  const evidence = named && holders.includes(named) ? named : holders.length === 1 ? holders[0] : named;
  if (!evidence) return undefined;
  const at = holds(evidence.text);
  return { evidenceId: evidence.id, quote: at ? evidence.text.slice(at.start, at.end) : quote };
}

const speaks = (task: Task) => (said: Said) => languageOf(said.text) === task.language || !/\p{L}{2}/u.test(said.text);

function languageComplaint(task: Task, claims: readonly Said[]): string {
  if (claims.every(speaks(task))) return "";
  return task.language === "zh" ? 'every "text" must be in Chinese (用中文)' : 'every "text" must be in English';
}

/** Calls back for what was not told before. */
function once(onClaim: ((claim: DraftClaim) => void) | undefined) {
  const told = new Set<string>();
  return (claim: DraftClaim) => {
    const key = JSON.stringify(claim);
    if (told.has(key)) return;
    told.add(key);
    onClaim?.(claim);
  };
}
