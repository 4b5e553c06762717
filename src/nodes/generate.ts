import { numberSources } from "../answer/compose.js";
import { growingAnswer } from "../answer/growing.js";
import { joined } from "../answer/segments.js";
import { checkByCode } from "../checking/cascade.js";
import { toError } from "../errors.js";
import { evidenceToRead } from "../reading/evidence.js";
import { mayLookUp } from "../state/budget.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import type { DraftClaim, Piece } from "../types/answer.js";
import type { Call } from "../types/call.js";
import { type Evidence, isUnsure } from "../types/evidence.js";
import { withoutReaders } from "../types/metadata.js";

/**
 * Drafts an answer from the evidence. A model that leads may ask to look for more instead, while the budget lasts.
 * Sentences that code alone finds supported are streamed as soon as they are complete, up to the first one that waits for
 * the check; those that wait are announced as pending.
 */
export const generate =
  ({
    generator,
    documents,
    knowledge,
    cypherWriter,
  }: Pick<Tools, "generator" | "documents" | "knowledge" | "cypherWriter">): Node =>
  async (state, { call, emit, say, context }) => {
    const { understood, report, streamed, verdict, findings } = state;
    if (!understood) return {};
    const { citing, instructions, temperature, topP } = context;
    const { question, language, intent, modelLeads } = understood;
    const read = evidenceToRead(state);
    // A list or a section may go on in the next passage.
    const beside = modelLeads ? [] : await besideBest(read, documents, call);
    const evidence = [...read, ...beside];

    const sent = [...streamed];
    let { said } = state;
    const write = (pieces: readonly Piece[]) => {
      const text = joined(pieces);
      said += text;
      say(text);
    };
    const grow = growingAnswer({ write }, question);
    let isWaiting = false;
    const onClaim = (claim: DraftClaim) => {
      if (sent.includes(claim.text)) return;
      const checked = checkByCode(claim, evidence);
      isWaiting ||= checked.verdict !== "supported";
      if (isWaiting) return emit({ type: "pending", text: claim.text });
      const { claims, references } = numberSources([checked], evidence);
      for (const supported of claims) {
        const event = { type: "claim", claim: supported, references } as const;
        emit(event);
        // A repaired draft does not continue the text of the one before; the message is replaced when the run ends.
        if (streamed.length === 0) grow(event);
      }
      sent.push(claim.text);
    };
    const places = mayLookUp(state, context);
    const lookUps = modelLeads && {
      // A store may be empty because all facts are in a graph.
      documents: places.documents && (evidence.some(isOfDocument) || !(await isEmpty(documents, call))),
      ...(places.tables && { tables: state.tables }),
      // Without a query language, facts are found by the names of the question, and code looks those up.
      graph: places.graph && cypherWriter !== undefined && knowledge?.query !== undefined,
      web: places.web,
    };
    const task = {
      ...{ question, language, evidence, intent, citing, instructions, temperature, topP, findings },
      ...(lookUps && { lookUps }),
      ...(verdict && { verdict }),
      ...(report && { repair: report }),
    };
    // If it is uncertain that quotes answer, a sentence that says so precedes them, so they are not streamed.
    const isOpen = !modelLeads && isUnsure(verdict);
    const draft = await generator.generate(task, call, isOpen ? undefined : onClaim);
    const cited = beside.filter(({ id }) =>
      draft.claims.some(({ citations }) => citations.some(({ evidenceId }) => evidenceId === id)),
    );
    return {
      ...(cited.length > 0 && withEvidence(state, cited)),
      ...{ draft, lookUps: draft.lookUps ?? [], streamed: sent, said },
    };
  };

/** Adds evidence that needs no grade. */
function withEvidence({ evidence, attempts }: State, more: readonly Evidence[]) {
  const last = attempts.at(-1);
  const ids = more.map(({ id }) => id);
  return {
    evidence: [...evidence, ...more],
    ...(last && { attempts: attempts.with(-1, { ...last, evidenceIds: [...last.evidenceIds, ...ids] }) }),
  };
}

/**
 * Returns the passages around the two most relevant ones that are not at hand: a list or a section may go on there. They
 * are quoted only together with those, so nothing in them is judged.
 */
async function besideBest(
  read: readonly Evidence[],
  documents: Tools["documents"],
  { fault }: Call,
): Promise<Evidence[]> {
  const best = read
    .filter(isOfDocument)
    .toSorted((a, b) => b.relevance - a.relevance)
    .slice(0, 2);
  const known = new Set(read.map(({ id }) => id));
  try {
    const found = await Promise.all(best.map(({ id }) => documents.neighbours(id, BESIDE)));
    return best.flatMap((piece, i) =>
      (found[i] ?? []).flatMap(({ id, position, text, section, language, reviewedAt, metadata }): Evidence[] => {
        if (known.has(id)) return [];
        known.add(id);
        const read = (piece.read ?? []).map(({ question }) => ({ question, units: [] }));
        const goesOn = piece.id.endsWith(`#${position - BESIDE}`);
        const own = {
          id,
          section,
          text,
          language,
          reviewedAt,
          ...(metadata && { metadata: withoutReaders(metadata) }),
        };
        return [{ ...piece, ...own, strips: [], read, ...(goesOn && { goesOn }) }];
      }),
    );
  } catch (error) {
    fault(toError(error), "retriever");
    return [];
  }
}

/** In passages. What is quoted has less than two of them. */
const BESIDE = 2;

/** A store that cannot tell is asked to look all the same. */
async function isEmpty(documents: Tools["documents"], { fault }: Call): Promise<boolean> {
  try {
    return await documents.isEmpty();
  } catch (error) {
    fault(toError(error), "retriever");
    return false;
  }
}

const isOfDocument = ({ source }: Evidence) => source === "document";
