import { numberSources } from "../answer/compose.js";
import { growingAnswer } from "../answer/growing.js";
import { joined } from "../answer/segments.js";
import { checkByCode } from "../checking/cascade.js";
import { evidenceToRead } from "../state/evidence.js";
import type { Node } from "../state/node.js";
import type { Tools } from "../state/tools.js";
import { isAnaphoric } from "../text/prose.js";
import type { DraftClaim, Piece } from "../types/answer.js";
import { isUnsure } from "../types/evidence.js";

/**
 * Drafts an answer from the best of the evidence. A claim that code alone finds supported is streamed as soon as it is
 * complete; the others wait for the check.
 */
export const generate =
  ({ generator }: Pick<Tools, "generator">): Node =>
  async (state, { call, emit, say, context: { citing, instructions, temperature, topP } }) => {
    const { understood, report, streamed, verdict } = state;
    if (!understood) return {};
    const { question, language, intent } = understood;
    const evidence = evidenceToRead(state);

    const sent = [...streamed];
    let { said } = state;
    const write = (pieces: readonly Piece[]) => {
      const text = joined(pieces);
      said += text;
      say(text);
    };
    const grow = growingAnswer({ write }, question);
    /** True if the claim before was sent. */
    let isBeforeSent = true;
    const onClaim = (claim: DraftClaim) => {
      const checked = checkByCode(claim, evidence);
      const isKnown = sent.includes(claim.text);
      // "It opens at ten." may only follow the claim that it was written after.
      const isNext = checked.verdict === "supported" && !isKnown && (isBeforeSent || !isAnaphoric(claim.text));
      isBeforeSent = isKnown || isNext;
      if (!isNext) return;
      const { claims, references } = numberSources([checked], evidence);
      for (const supported of claims) {
        const event = { type: "claim", claim: supported, references } as const;
        emit(event);
        // A repaired draft does not continue the text of the one before; the message is replaced when the run ends.
        if (streamed.length === 0) grow(event);
      }
      sent.push(claim.text);
    };
    const graded = { ...(verdict && { verdict }), ...(report && { repair: report }) };
    const task = { question, language, evidence, intent, citing, instructions, temperature, topP, ...graded };
    // If it is uncertain that the claims answer, a sentence that says so precedes them, so they are not streamed.
    const isOpen = isUnsure(verdict) || verdict?.undecided;
    const draft = await generator.generate(task, call, isOpen ? undefined : onClaim);
    return { draft, streamed: sent, said };
  };
