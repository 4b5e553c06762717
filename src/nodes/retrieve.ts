import { EmptyStoreError, EndpointError, toError, UsageError } from "../errors.js";
import { timeOf } from "../reading/asked-time.js";
import { asEvidence, makeRoom } from "../reading/evidence.js";
import { type DatedPassage, holdingIn, searchHolding } from "../reading/holding.js";
import { isInDocuments } from "../state/budget.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { plainHeads } from "../text/orders.js";
import { questionParts } from "../text/question-parts.js";
import { misspeltWords, respelt } from "../text/spelling.js";
import { terms } from "../text/tokens.js";
import { type DistinctPassage, distinct } from "../tools/documents/distinct.js";
import type { DocumentQuery } from "../tools/documents/port.js";
import { passageText } from "../tools/documents/terms.js";
import { holds, type LeftOut, type Misspelt } from "../types/answer.js";
import type { Evidence, Passage } from "../types/evidence.js";
import { withoutReaders } from "../types/metadata.js";
import { lookedUp } from "./look-up.js";
import { shortened, tablesFor } from "./query-tables.js";

/**
 * Searches the documents with the newest query, or looks for what the model asked for. Evidence graded as relevant stays; evidence that was irrelevant or
 * misled an answer makes room and is not retrieved again. If the query repeats, the search widens to the next
 * candidates and to the neighbours of the evidence that stays. After a draft was rejected, the best passage of every
 * document comes before the second best of any. If the first results show that words of the question are misspelt, the
 * question is corrected and searched again. Passages that repeat others make room; their locations are kept. If there
 * is a reranker, it orders the candidates. Of the versions of a document, only those that are valid at the time of the
 * question are used.
 */
export const retrieve =
  ({ documents, tables, knowledge, reranker }: Pick<Tools, "documents" | "tables" | "knowledge" | "reranker">): Node =>
  async (state, { context, call }) => {
    const { understood, queries } = state;
    const newest = queries.at(-1);
    const query = newest?.text ?? "";
    const limit = understood?.passages ?? 8;
    const wanted = state.lookUps.filter(isInDocuments);
    /** More than the limit, since some passages repeat others. */
    const ranked = Math.min(200, limit * 3);
    const { kept, excluded } = makeRoom(state, context);
    const { label, ...time } = timeOf(understood);
    const leftOut = new Map(state.leftOut?.map((one) => [one.uri, one]));

    if (wanted.length > 0) return lookUp();
    const isWidening = state.attempts.at(-1)?.query === query;
    const beside = isWidening ? await neighboursOf(kept, documents) : [];
    const exclude = [...excluded, ...kept.map((e) => e.id)];
    const first = await find(query);
    const isFirst = state.attempts.length === 0 && query === understood?.question;
    const misspelt = isFirst ? await unknownWords(query, first) : [];
    const question = respelt(query, misspelt);
    const corrected = misspelt.length > 0 ? await find(question) : first;
    // A model reads past a typing error, and a word that no document has may be right all the same.
    const found = understood?.modelLeads ? interleaved([first, corrected]) : corrected;
    if (found.length === 0 && exclude.length === 0 && (await documents.isEmpty()) && !(await hasFacts()))
      throw new EmptyStoreError();
    const known = new Set(exclude);
    const unknown = [...beside, ...found].filter((p) => !known.has(p.id) && known.add(p.id));
    const best = (await reranked(distinct(unknown, question))).slice(0, limit);
    const fresh = understood?.modelLeads ? besideNeighbours(best) : best;
    const now = new Date().toISOString();
    const pieces = fresh.map((passage) => plainHeads(evidenceOf(passage, now, label)));
    const evidence = [...kept, ...(understood?.modelLeads ? await withEnds(fresh, pieces) : pieces)];
    const repeats = fresh.flatMap(({ repeatedIn }) => repeatedIn.map(({ id }) => id));
    const passedOver = [...new Set([...excluded, ...repeats])];
    const done = {
      evidence,
      excluded: passedOver,
      ...(await withTables(evidence)),
      ...(leftOut.size > 0 && { leftOut: [...leftOut.values()] }),
    };
    if (!understood || !newest || misspelt.length === 0 || understood.modelLeads) return done;
    const spelt = { text: question, reason: { ...newest.reason, isRespelt: true } };
    return { ...done, understood: { ...understood, question, misspelt }, queries: queries.with(-1, spelt) };

    /** The model keeps all that it has read, since it refers to it by number. */
    async function lookUp() {
      const { evidence } = state;
      const isHolding = await holdingIn(documents, time);
      const inSearch = (text: string, atMost: number) => search({ text }, atMost);
      const place = { documents, evidence, search: inSearch, isHolding, signal: call.signal, fault: call.fault };
      const { fresh, findings } = await lookedUp(wanted, place);
      const now = new Date().toISOString();
      const found = fresh.map((passage) => plainHeads(evidenceOf({ ...passage, repeatedIn: [] }, now, label)));
      const asked = wanted
        .filter(({ by, words }) => (by === "search" || by === "find") && !queries.some(({ text }) => text === words))
        .map(({ words: text }) => ({ text, reason: { code: "asked_by_model" as const } }));
      const ended = await withEnds(fresh, found);
      return {
        evidence: [...evidence, ...ended],
        // Of what was found now.
        ...(await withTables(ended)),
        queries: [...queries, ...asked],
        lookUps: state.lookUps.filter((one) => !isInDocuments(one)),
        findings: [...state.findings, ...findings],
        ...(leftOut.size > 0 && { leftOut: [...leftOut.values()] }),
      };
    }

    /** Adds the tables that the model may query, behind those that it knows already. If they cannot be found, there are none. */
    async function withTables(evidence: readonly Evidence[]) {
      if (!tables || !understood?.modelLeads || !context.sources.tables) return {};
      try {
        const found = await tablesFor({ ...state, evidence: [...evidence] }, { tables, documents }, call);
        const fresh = found.filter(({ id }) => !state.tables.some((known) => known.id === id));
        return { tables: [...state.tables, ...fresh.map(shortened)].slice(0, MOST_TABLES) };
      } catch (error) {
        if (call.signal.aborted) throw error;
        call.fault(toError(error), "tables");
        return {};
      }
    }

    /** Marks the passages whose section goes on in the next one. */
    async function withEnds(passages: readonly Passage[], pieces: readonly Evidence[]): Promise<Evidence[]> {
      const isCut = await Promise.all(
        passages.map(async ({ id, position, section }) =>
          (await documents.neighbours(id)).some((next) => next.position === position + 1 && next.section === section),
        ),
      ).catch((error: unknown): boolean[] => {
        call.fault(toError(error));
        return [];
      });
      return pieces.map((piece, i) => (isCut[i] ? { ...piece, goesOn: true } : piece));
    }

    /** Searches for every part of a compound question. */
    async function find(text: string): Promise<DatedPassage[]> {
      const lists = questionParts(text).map((part) =>
        wasMisled(state)
          ? search({ text: part, exclude }, ranked).then(diverse)
          : search({ text: part, exclude }, ranked),
      );
      return interleaved(await Promise.all(lists));
    }

    /**
     * Nothing is reranked after a draft was rejected, when the variety of documents matters more. If the reranker
     * fails, the order of the search stays.
     */
    async function reranked(passages: DistinctPassage[]): Promise<DistinctPassage[]> {
      if (!reranker || passages.length < 2 || wasMisled(state)) return passages;
      try {
        const scores = await reranker.rank(question, passages.map(passageText), { signal: call.signal });
        return passages
          .map((passage, i) => ({ passage, score: scores[i] ?? 0 }))
          .toSorted((a, b) => b.score - a.score)
          .map(({ passage }) => passage);
      } catch (error) {
        if (call.signal.aborted) throw error;
        call.fault(toError(error), "reranker");
        return passages;
      }
    }

    /** Returns the misspelt words that appear as written in neither the documents nor the graph. */
    async function unknownWords(question: string, passages: readonly Passage[]): Promise<Misspelt[]> {
      try {
        const misspelt = misspeltWords(question, passages.map(passageText));
        if (misspelt.length === 0) return [];
        const facts = context.sources.graph ? await knowledge?.facts([], question, { signal: call.signal }) : [];
        const told = new Set(terms(JSON.stringify(facts ?? [])));
        const stored = await Promise.all(misspelt.map(({ written }) => search({ text: written, mode: "fullText" }, 1)));
        return misspelt.filter(({ written }, i) => stored[i]?.length === 0 && !terms(written).some((t) => told.has(t)));
      } catch (error) {
        if (call.signal.aborted) throw error;
        call.fault(toError(error));
        return [];
      }
    }

    /** A store may be empty because all facts are in a graph. */
    async function hasFacts(): Promise<boolean> {
      const schema = context.sources.graph ? await knowledge?.schema({ signal: call.signal }) : undefined;
      return schema !== undefined && schema.nodes.length > 0;
    }

    /** If embedding the query fails, searches by words alone. */
    async function search(wanted: DocumentQuery, atMost: number): Promise<DatedPassage[]> {
      try {
        return await searchNow(wanted, atMost);
      } catch (error) {
        if (call.signal.aborted || !(error instanceof EndpointError || error instanceof UsageError)) throw error;
        const found = await searchNow({ ...wanted, mode: "fullText" }, atMost);
        call.fault(error, "embeddings");
        return found;
      }
    }

    async function searchNow(wanted: DocumentQuery, atMost: number): Promise<DatedPassage[]> {
      const result = await searchHolding(documents, wanted, atMost, { ...time, signal: call.signal });
      for (const passage of result.leftOut) leftOut.set(passage.uri, asLeftOut(passage));
      return result.found;
    }
  };

/** Puts passages that follow each other in their document side by side, in its order, where the best of them stood. */
function besideNeighbours<T extends Passage>(passages: readonly T[]): T[] {
  const left = new Set(passages);
  const next = ({ documentId, position }: T, step: number) =>
    [...left].find((other) => other.documentId === documentId && other.position === position + step);
  return passages.flatMap((passage) => {
    if (!left.delete(passage)) return [];
    const group = [passage];
    for (let one = next(passage, -1); one; one = next(one, -1)) if (left.delete(one)) group.unshift(one);
    for (let one = next(passage, 1); one; one = next(one, 1)) if (left.delete(one)) group.push(one);
    return group;
  });
}

/** The best of each list, then the second best of each, and so on: every part of a compound question finds something. */
const interleaved = <T>(lists: readonly (readonly T[])[]): T[] =>
  Array.from({ length: Math.max(0, ...lists.map(({ length }) => length)) }, (_, i) =>
    lists.flatMap((l) => l[i] ?? []),
  ).flat();

/** True if a claim of the last draft was rejected: similar passages may mislead again. */
const wasMisled = ({ attempts }: State) => attempts.at(-1)?.report?.claims.some((claim) => !holds(claim)) ?? false;

/** The best passage of every document, then the second best of each, and so on. */
function diverse(passages: readonly DatedPassage[]): DatedPassage[] {
  const seen = new Map<string, number>();
  const turn = passages.map(({ documentId }) => {
    const before = seen.get(documentId) ?? 0;
    seen.set(documentId, before + 1);
    return before;
  });
  return passages
    .map((passage, i) => ({ passage, turn: turn[i] ?? 0 }))
    .toSorted((a, b) => a.turn - b.turn)
    .map(({ passage }) => passage);
}

/** The most tables that a model sees. */
const MOST_TABLES = 10;

/** Number of passages whose neighbours are fetched when widening. */
const WIDENED = 2;

async function neighboursOf(evidence: State["evidence"], documents: Tools["documents"]): Promise<DatedPassage[]> {
  const best = evidence.toSorted((a, b) => b.relevance - a.relevance).slice(0, WIDENED);
  const found = await Promise.all(
    best.map(async ({ id, validFrom: from = "", validUntil: until = "" }) => {
      const beside = await documents.neighbours(id);
      return beside.map((passage) => ({ ...passage, score: 0, validity: { from, until, successor: "" } }));
    }),
  );
  return found.flat();
}

const asLeftOut = ({ validity, ...passage }: DatedPassage): LeftOut => ({
  title: plainHeads(passage).title,
  uri: passage.uri,
  from: "",
  until: "",
  successor: "",
  ...validity,
});

/** @param label the time asked about. It is added to the title, since a version valid at that time need not name it. */
const evidenceOf = (passage: DistinctPassage & DatedPassage, retrievedAt: string, label: string): Evidence => {
  const { id, title, uri, section, text, language, score, reviewedAt, metadata, validity, repeatedIn } = passage;
  return asEvidence({
    ...{ id, uri, section, text, language, score, retrievedAt, reviewedAt },
    metadata: metadata && withoutReaders(metadata),
    title: validity?.from || validity?.until ? `${title}${label}` : title,
    ...(validity?.from && { validFrom: validity.from }),
    ...(validity?.until && { validUntil: validity.until }),
    ...(repeatedIn.length > 0 && { alsoIn: placesOf(passage) }),
  });
};

/** The addresses of the other documents, each once. */
const placesOf = ({ uri, repeatedIn }: DistinctPassage): string[] =>
  [...new Set(repeatedIn.map((passage) => passage.uri))].filter((other) => other !== uri);
