import { z } from "zod";
import { languageName, languageOf } from "../../../language/language.js";
import type { Draft, DraftClaim } from "../../../types/answer.js";
import { isModelFailure } from "../fallback.js";
import { missingOf } from "../missing.js";
import type { Call, Generator, Task } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { quoteFinder } from "./find-quotes.js";
import { list, words } from "./json.js";
import { annotatePrompt, generatePrompt, keptLabels } from "./prompts.js";
import { bare, inline, listing, namedBy, naming, quoting, type Style, unmarked } from "./styles.js";

/**
 * Drafts with one call to a model, in the citing style asked for; `annotate` makes a second call. Claims are streamed
 * where the style gives their citations along with the text.
 */
export function modelGenerator(chat: Chat): Generator {
  return {
    async generate(task, call, onClaim) {
      call.signal.throwIfAborted();
      if (keptLabels(task.evidence).length === 0) return { claims: [], missing: "" };
      const tell = once(onClaim);
      const isInLanguage = speaks(task);
      const write = async <R extends Said>(style: Style<R>): Promise<Draft> => {
        const onText = grown((text) => {
          for (const claim of style.soFar?.(text) ?? []) {
            // A claim in the wrong language may be repaired, so it is not streamed, nor are those after it.
            if (!isInLanguage(claim.text)) break;
            tell(claim);
          }
        });
        const complaint = (said: R) => languageComplaint(task, said);
        const { schema, salvage } = style;
        const question = { name: "answer", prompt: generatePrompt(task), schema, complaint, salvage, onText };
        const reply = await ask(chat, question, call);
        return { claims: style.claims(reply), missing: missingOf(reply.missing, task) };
      };
      const draft = await {
        quote: () => write(quoting(task)),
        document: () => write(naming(task)),
        inline: () => write(inline(task)),
        sources: () => write(listing(task)),
        compress: () => write(naming(task)),
        annotate: async () => annotated(chat, task, call, await write(unmarked(task))),
      }[task.citing ?? "quote"]();
      draft.claims.forEach(tell);
      return draft;
    },
  };
}

/** Calls back when a growing text may contain another claim. The text may start over. */
function grown(look: (text: string) => void) {
  let read = 0;
  return (text: string) => {
    if (text.length < read) read = 0;
    const ends = /[}.!?。！？\n]/.test(text.slice(read));
    read = text.length;
    if (ends && text.length < LONGEST_READ) look(text);
  };
}

/** In characters. A longer text is no answer; it is read once, at its end. */
const LONGEST_READ = 8000;

/** Asks which parts state each sentence. If that fails, the citations found by similarity stay. */
async function annotated(chat: Chat, task: Task, call: Call, draft: Draft): Promise<Draft> {
  if (draft.claims.length === 0) return draft;
  let { claims } = draft;
  const find = quoteFinder(task);
  const texts = claims.map(({ text }) => text);
  try {
    const question = { name: "annotate", prompt: annotatePrompt(task, texts), schema: Annotations };
    const { sentences } = await ask(chat, question, call);
    claims = claims.map((claim, i) => {
      const judged = sentences.find(({ sentence }) => sentence === i + 1);
      if (!judged) return claim;
      const citations = find(claim.text, namedBy(judged.parts));
      // If the named part shares no words with the sentence, a part found by similarity is better.
      const slipped = citations.length > 0 && citations.every(({ quote }) => quote === "") && isCited(claim);
      return slipped ? claim : { ...claim, citations };
    });
  } catch (error) {
    if (!isModelFailure(error)) throw error;
    call.fault(error);
  }
  return { ...draft, claims: claims.filter(isCited) };
}

const Annotations = z.object({
  sentences: list(z.object({ sentence: z.coerce.number(), parts: list(words(20), 6) }), 60),
});

const isCited = ({ citations }: DraftClaim) => citations.length > 0;

const speaks = (task: Task) => (text: string) => languageOf(text) === task.language || isTooShort(text, task);

/** True if a text says no language: it has no words, or too few to tell it from English. */
const isTooShort = (text: string, { language }: Task) =>
  !/\p{L}{2}/u.test(text) || (language === "other" && languageOf(text) === "en" && text.split(/\s+/).length < TELLING);
const TELLING = 6;

function languageComplaint(task: Task, { text = "", claims = [] }: Said): string {
  if ([text, ...claims.map((claim) => claim.text)].map(bare).every(speaks(task))) return "";
  return {
    en: 'every "text" must be in English',
    zh: 'every "text" must be in Chinese (用中文)',
    other: `every "text" must be in ${languageName(task.question) ?? "the language of the question"}`,
  }[task.language];
}

/** A reply in any style. */
interface Said {
  missing: string;
  text?: string;
  claims?: readonly { text: string }[];
}

/** Passes each claim on once. */
function once(onClaim: ((claim: DraftClaim) => void) | undefined) {
  const told = new Set<string>();
  return (claim: DraftClaim) => {
    const { size } = told;
    if (told.add(JSON.stringify(claim)).size > size) onClaim?.(claim);
  };
}
