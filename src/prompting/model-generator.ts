import { isModelFailure, MalformedReplyError } from "../errors.js";
import { addedTo } from "../facts/live.js";
import { knownTo, missingOf } from "../reading/missing.js";
import { languageName, languageOf } from "../text/language.js";
import { hasWords, plainWithoutMarks } from "../text/tokens.js";
import { type Chat, TooLongError } from "../tools/chat/port.js";
import type { Draft, DraftClaim, LookUp } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { GenerateTask, Generator, Task } from "../types/reasoners.js";
import { askModel } from "./ask.js";
import {
  inlineStyle,
  labelledSources,
  mayLookUp,
  namedSourcesStyle,
  quoteStyle,
  type Style,
  sourceListStyle,
  uncitedStyle,
  withoutOwnMarkers,
} from "./citing-styles.js";
import { quoteFinder } from "./find-quotes.js";
import { annotatePrompt, generatePrompt } from "./prompts.js";
import { byNumber, listOf, words } from "./reply-json.js";
import { lookUpsIn } from "./reply-prose.js";

/**
 * Drafts with one call to a model, in the citing style asked for; `annotate` makes a second call. Claims are streamed
 * if the style gives their citations along with the text. If the sources do not fit into the model's context, half of
 * them are tried, and so on.
 */
export function modelGenerator(chat: Chat): Generator {
  return {
    async generate(task, call, onClaim) {
      call.signal.throwIfAborted();
      let { evidence } = task;
      if (evidence.length === 0 && !mayLookUp(task.lookUps)) return { claims: [], missing: "" };
      for (;;) {
        try {
          // Look-ups name sources by their numbers, which the half of them no longer has.
          const own = evidence === task.evidence ? task : { ...task, evidence, lookUps: NOWHERE, findings: [] };
          return await drafted(chat, own, call, onClaim);
        } catch (error) {
          if (!(error instanceof TooLongError) || evidence.length < 2) throw error;
          call.fault(error, "");
          evidence = half(evidence);
        }
      }
    },
  };
}

const UNCITED = "none of its sentences names a source that states it";

/** True if a reply says something, and not only what it wants to look for. */
const writes = ({ text = "", claims = [] }: StyledReply) => hasWords(text) || claims.length > 0;

const NOWHERE: NonNullable<GenerateTask["lookUps"]> = { documents: false, graph: false, web: false };

/** Keeps what a search ranked first, and what was found last. */
function half(evidence: readonly Evidence[]): Evidence[] {
  const [first, last] = [Math.ceil(evidence.length / 4), Math.floor(evidence.length / 4)];
  return [...evidence.slice(0, first), ...evidence.slice(evidence.length - last)];
}

async function drafted(
  chat: Chat,
  task: GenerateTask,
  call: Call,
  onClaim: ((claim: DraftClaim) => void) | undefined,
): Promise<Draft> {
  const tell = once(onClaim);
  const isInLanguage = speaks(task);
  const write = async <R extends StyledReply>(style: Style<R>): Promise<Draft> => {
    const onText = grown((text) => {
      for (const claim of style.soFar?.(text) ?? []) {
        // A claim in the wrong language may be repaired, so neither it nor the claims after it are streamed.
        if (!isInLanguage(claim.text)) break;
        tell(claim);
      }
    });
    const isUncited = (said: R) => writes(said) && style.claims(said).length === 0;
    const complaint = (said: R) => (isUncited(said) ? UNCITED : languageComplaint(task, said));
    const { schema, prose, salvage } = style;
    const { temperature, topP } = task;
    const question = {
      name: "answer",
      prompt: generatePrompt(task, call.prompts),
      schema,
      prose,
      complaint,
      salvage,
      onText,
      sampling: { temperature, topP },
    };
    const reply = await askModel(chat, question, call);
    if (isUncited(reply)) throw new MalformedReplyError(`The model's reply (answer) could not be used: ${UNCITED}.`);
    return { claims: style.claims(reply), ...besidesOf(reply, task) };
  };
  const draft = await {
    quote: () => write(quoteStyle(task)),
    document: () => write(namedSourcesStyle(task)),
    inline: () => write(inlineStyle(task)),
    sources: () => write(sourceListStyle(task)),
    compress: () => write(namedSourcesStyle(task)),
    annotate: async () => annotated(chat, task, call, await write(uncitedStyle(task))),
  }[task.citing ?? "inline"]();
  draft.claims.forEach(tell);
  return draft;
}

/** Calls back when a growing text may contain another claim. The text may start over. */
function grown(look: (text: string) => void) {
  let read = 0;
  return (text: string) => {
    if (text.length < read) read = 0;
    const ends = /[}.!?。！？\n]/.test(text.slice(read));
    read = text.length;
    if (ends && text.length < MAX_STREAMED) look(text);
  };
}

/** In characters. A longer text is not a normal answer; it is read once, at its end. */
const MAX_STREAMED = 8000;

/** Asks which parts state each sentence. If that fails, the citations found by similarity stay. */
async function annotated(chat: Chat, task: Task, call: Call, draft: Draft): Promise<Draft> {
  if (draft.claims.length === 0) return draft;
  let { claims } = draft;
  const { find } = quoteFinder(task);
  const texts = claims.map(({ text }) => text);
  try {
    const schema = byNumber(texts.length, Parts);
    const named = await askModel(
      chat,
      { name: "annotate", prompt: annotatePrompt(task, texts, call.prompts), schema },
      call,
    );
    claims = claims.map((claim, i) => {
      const citations = find(claim.text, labelledSources(named[i + 1] ?? []));
      // If the named part shares no words with the sentence, a part found by similarity is better.
      return citations.length > 0 ? { ...claim, citations } : claim;
    });
  } catch (error) {
    if (!isModelFailure(error)) throw error;
    call.fault(error);
  }
  return { ...draft, claims: claims.filter(isCited) };
}

const Parts = listOf(words(20), 6);

const isCited = ({ citations }: DraftClaim) => citations.length > 0;

/** Returns the usable parts of a reply besides its claims. None of them is checked against a source. */
function besidesOf({ missing, look = [], lookUps: asked = lookUpsIn(look), ask }: StyledReply, task: GenerateTask) {
  const isAsked =
    /[?？]$/.test(ask) &&
    speaks(task)(ask) &&
    plainWithoutMarks(task.question) !== plainWithoutMarks(ask) &&
    addedTo(ask, knownTo(task)).length === 0;
  const { documents, graph, web, tables = [] } = task.lookUps ?? NOWHERE;
  const query = tables.length > 0;
  const places = { search: documents, find: documents, open: documents, outline: documents, query, graph, web };
  const known = task.findings?.map(({ by, words }) => `${by} ${words}`) ?? [];
  const lookUps = asked.filter(({ by, words }) => places[by] && !known.includes(`${by} ${words}`));
  return {
    missing: missingOf(missing, task),
    ...(lookUps.length > 0 && { lookUps }),
    ...(isAsked && { clarification: ask }),
  };
}

/**
 * True if a text may be in the task's language. The script settles most cases. Telling English from other Latin
 * languages takes several words besides names: "Joost van Rees studied firmware." looks Dutch.
 */
const speaks = (task: Task) => (text: string) => {
  const said = languageOf(text);
  if (said === task.language || !/\p{L}{2}/u.test(text)) return true;
  const rest = text.replace(/\p{Lu}\p{L}*/gu, " ");
  // Names stay as they are in Chinese: "Janet Leverling 住在 Kirkland".
  if (task.language === "zh") return wordsIn(rest) === 0 || languageOf(rest) === "zh";
  if (said === "zh") return false;
  return wordsIn(rest) < TELLING || languageOf(rest) === task.language;
};

const TELLING = 6;
const wordsIn = (text: string) => text.match(/\p{L}+/gu)?.length ?? 0;

function languageComplaint(task: Task, { text = "", claims = [] }: StyledReply): string {
  if ([text, ...claims.map((claim) => claim.text)].map(withoutOwnMarkers).every(speaks(task))) return "";
  return {
    en: "the answer must be in English",
    zh: "the answer must be in Chinese (用中文)",
    other: `the answer must be in ${languageName(task.question) ?? "the language of the question"}`,
  }[task.language];
}

/** A reply in any style. */
interface StyledReply {
  missing: string;
  look?: string[];
  lookUps?: LookUp[];
  ask: string;
  text?: string;
  claims?: readonly { text: string }[];
}

/** Passes each claim on once: the sentence above a list gets further sources while the list grows. */
function once(onClaim: ((claim: DraftClaim) => void) | undefined) {
  const told = new Set<string>();
  return (claim: DraftClaim) => {
    const { size } = told;
    if (told.add(claim.text).size > size) onClaim?.(claim);
  };
}
