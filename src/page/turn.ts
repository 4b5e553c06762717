import { citationsOf, computedIn } from "../answer/citations.js";
import { paragraph } from "../answer/segments.js";
import type { Answer, Piece, Segment } from "../types/answer.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Cited, ConversationTurn as KeptTurn } from "../types/conversation.js";
import type { AgentEvent, Decision } from "../types/events.js";

/** A question with what is known of its answer so far. */
export interface PageTurn {
  question: string;
  /** The sentences that were checked, while there is no answer. */
  claims: { text: string; citations: Cited[] }[];
  /** The sentences of the draft that wait for their check, while there is no answer. */
  pending: string[];
  /** Sentences that were shown and did not hold. */
  takenBack: { text: string; reason: ClaimReason }[];
  decisions: Decision[];
  /** The answer; empty until there is one. */
  segments: readonly Segment[];
  status?: Answer["status"];
  stopReason?: Answer["stopReason"] | undefined;
  citations: readonly Cited[];
  computed?: KeptTurn["computed"];
  /** What the run waits for. */
  waiting?: Extract<AgentEvent, { type: "clarify" | "approve" }>;
  isRunning: boolean;
  /** Why there is no answer; empty if nothing failed. */
  fault: string;
}

export const asked = (question: string): PageTurn => ({
  question,
  claims: [],
  pending: [],
  takenBack: [],
  decisions: [],
  segments: [],
  citations: [],
  isRunning: true,
  fault: "",
});

export const turnFrom = ({ text: _, ...turn }: KeptTurn, waiting?: AgentEvent): PageTurn => {
  const before = { ...asked(turn.question), ...turn, isRunning: false };
  return waiting ? { ...turnAfter(before, waiting), isRunning: false } : before;
};

/** Returns a turn after an event of its run. */
export function turnAfter(turn: PageTurn, event: AgentEvent): PageTurn {
  switch (event.type) {
    case "decision":
      // A new draft begins: what the last one said is no longer waiting.
      return {
        ...turn,
        decisions: [...turn.decisions, event.decision],
        ...(event.decision.to === "generate" && { pending: [] }),
      };
    case "pending":
      return { ...turn, pending: [...turn.pending, event.text] };
    case "claim": {
      const claim = {
        text: event.claim.text,
        citations: renumbered(citationsOf({ ...event, claims: [event.claim] }), turn),
      };
      return {
        ...turn,
        claims: [...turn.claims, claim],
        computed: { ...turn.computed, ...computedIn(event).computed },
        pending: turn.pending.filter((text) => text !== claim.text),
      };
    }
    case "retracted": {
      const { text, reason } = event;
      const claims = turn.claims.filter((claim) => claim.text !== text);
      return { ...turn, claims, takenBack: [...turn.takenBack, { text, reason }] };
    }
    case "clarify":
      return {
        ...turn,
        segments: [paragraph(event.question)],
        status: "needs_clarification",
        waiting: event,
        isRunning: false,
      };
    case "approve": {
      // A turn of the thread may already show the same as text.
      const { status: _, ...open } = turn;
      return { ...open, segments: [], waiting: event, isRunning: false };
    }
    case "answer": {
      const { segments, status, stopReason } = event.answer;
      const cited = { citations: citationsOf(event.answer), ...computedIn(event.answer) };
      return { ...turn, segments, status, stopReason, ...cited, pending: [], isRunning: false };
    }
  }
}

/** Numbers sources in the order in which they appear: each event has its own numbers. */
function renumbered(citations: readonly Cited[], { claims }: PageTurn): Cited[] {
  const known = [...new Set(claims.flatMap((claim) => claim.citations.map(({ evidenceId }) => evidenceId)))];
  return citations.map((cited) => {
    if (!known.includes(cited.evidenceId)) known.push(cited.evidenceId);
    return { ...cited, reference: known.indexOf(cited.evidenceId) + 1 };
  });
}

/** Paragraphs, or a list with a line for each item. */
interface AnswerBlock {
  kind: "text" | "bullets" | "steps";
  lines: Piece[][];
}

/** Puts the items of a list together. */
export function blocksOf(segments: readonly Segment[]): AnswerBlock[] {
  const blocks: AnswerBlock[] = [];
  for (const segment of segments) {
    const kind = segment.kind === "bullet" ? "bullets" : segment.kind === "step" ? "steps" : "text";
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(segment.pieces);
    else blocks.push({ kind, lines: [segment.pieces] });
  }
  return blocks;
}

/** Reads the events of `/api/ask` from pieces of its text. @throws Error if one of them is an error. */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<AgentEvent> {
  let left = "";
  for await (const piece of pieces) {
    const blocks = (left + piece).split("\n\n");
    left = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const event = JSON.parse(data);
      if (typeof event.error === "string") throw new Error(event.error);
      yield event;
    }
  }
}
