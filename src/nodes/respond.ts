import { answerOf } from "../answer/answer.js";
import { citationsOf, computedIn } from "../answer/citations.js";
import { answerAsMarkdown } from "../answer/compose.js";
import { messagesIn } from "../answer/messages/index.js";
import { recordOf } from "../answer/record.js";
import { paragraph, withText } from "../answer/segments.js";
import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import { assistantMessage } from "../conversation/messages.js";
import { toError } from "../errors.js";
import { type Examples, examplesFrom } from "../reading/examples.js";
import type { Node, Run } from "../state/node.js";
import type { State, Update } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import type { SmallTalk } from "../text/small-talk.js";
import { type Answer, holds, type Usage } from "../types/answer.js";

/**
 * Writes the answer, or a reply to small talk. Uses no model, so that only checked text is shown. If a thread is
 * resumed right before its answer, as chat clients do to get another one, nothing is written and the question is
 * answered again.
 */
export const respond =
  ({ documents, runs }: Pick<Tools, "documents" | "runs">): Node =>
  async (state, run) => {
    if (run.isForked) return { answering: "" };
    const smallTalk = state.understood?.smallTalk;
    const answer = smallTalk
      ? smallTalkAnswer(state, smallTalk, await examples())
      : answerOf(state, state.decisions.at(-1)?.stop ?? "unanswerable", run.context);
    if (answer.status !== "unsure") sendRest(state, answer, run);
    run.emit({ type: "answer", answer });
    if (!smallTalk) runs?.add(recordOf(state, answer, run.context.filter), run.thread);
    const content = answerAsMarkdown(answer);
    const more = content.startsWith(state.said) ? content.slice(state.said.length) : `\n\n${content}`;
    if (more) run.say(more);
    const { status, stopReason, confidence, faults, segments } = answer;
    const cited = { citations: citationsOf(answer), ...computedIn(answer) };
    const told = { status, stopReason, confidence: confidence.score, faults, segments, ...cited };
    const message = assistantMessage(content, run.scope, {
      ...(state.answering && { id: state.answering }),
      name: run.agent,
      additional_kwargs: { emend: told },
      usage_metadata: usageOf(state.spend),
    });
    return { ...withoutWork(state), answer, messages: [message] };

    /** A store that cannot be read is reported in the log, not in a greeting. */
    async function examples(): Promise<Examples | undefined> {
      try {
        return await examplesFrom(documents, state.understood?.language ?? "en");
      } catch (error) {
        run.call.fault(toError(error));
        return undefined;
      }
    }
  };

/**
 * Drops the evidence, the drafts and their reports: the answer tells what came of them, the steps before keep them, and the
 * next question starts without them.
 */
const withoutWork = ({ attempts }: State) =>
  ({
    evidence: [],
    nearest: undefined,
    draft: undefined,
    report: undefined,
    findings: [],
    tables: [],
    webResults: [],
    attempts: attempts.map(({ draft: _, report: __, ...attempt }) => attempt),
  }) satisfies Update;

/** The tokens spent on the question, in the form of LangChain messages. */
const usageOf = ({ inputTokens, outputTokens, cachedTokens }: Usage) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  input_token_details: { cache_read: cachedTokens },
});

/** Streams the claims of the answer that were not streamed yet, and retracts streamed claims that are not in it. */
function sendRest({ streamed, report }: State, answer: Answer, { emit }: Run) {
  const shown = answer.claims.map((claim) => claim.text);
  for (const claim of answer.claims) {
    if (streamed.includes(claim.text)) continue;
    const numbers = new Set(claim.citations.map((citation) => citation.reference));
    emit({ type: "claim", claim, references: answer.references.filter((r) => numbers.has(r.number)) });
  }
  for (const text of streamed.filter((text) => !shown.includes(text))) {
    const checked = report?.claims.find((claim) => claim.text === text);
    // A claim that holds may be left out too, but its reason says why it holds.
    const reason = checked && !holds(checked) ? checked.reason : ({ code: "left_out" } as const);
    emit({ type: "retracted", text, reason });
  }
}

/** Answers small talk in a few words and, except for thanks, agreement and farewells, says what can be asked. */
function smallTalkAnswer(state: State, kind: SmallTalk, examples: Examples | undefined): Answer {
  const answer = answerOf(state, "small_talk");
  const { small, about } = messagesIn(answer.language);
  const isBrief = kind === "thanks" || kind === "agreement" || kind === "farewell";
  const { documents = 0, titles = [], questions = [] } = (!isBrief && examples) || {};
  const told = documents > 0 ? about(documents, titles.map(sanitizeMarkdown)) : [];
  const texts = [small[kind], ...told.slice(0, questions.length > 0 ? 2 : 1)];
  const asked = questions.map((question) => paragraph(sanitizeMarkdown(question), "bullet"));
  const segments = [...texts.map((text) => paragraph(text)), ...asked];
  return { ...answer, status: "answered", ...withText(segments), missing: "", failures: [] };
}
