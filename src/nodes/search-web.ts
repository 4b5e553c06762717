import { RemoveMessage } from "@langchain/core/messages";
import { approvedQueries, decisionsIn } from "../conversation/review.js";
import { absentFrom } from "../reading/missing.js";
import type { Node, Run } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { contentTerms, plain } from "../text/tokens.js";
import { mergeResults } from "../tools/web/merge-results.js";

/**
 * Searches the web for missing evidence, with one to three queries in parallel. If the context asks for approval, a
 * person sees them first and may change, drop or refuse them; if nobody can be asked, none is sent.
 */
export const searchWeb =
  ({ webSearch }: Pick<Tools, "webSearch">): Node =>
  async (state, { context, call, ask }) => {
    const { understood } = state;
    // The edge to this node was chosen before a person was asked, and the reply may have turned the web off.
    if (!webSearch || !understood || !context.sources.web) return {};
    const { approve, region, recency, ...policy } = context.web;
    const wanted = webQueries(state);
    const { queries, ...spoken } = approve ? approved(wanted, state, ask) : { queries: wanted };
    const lists = await Promise.all(
      queries.map((text) =>
        webSearch
          .search({ text, language: understood.language, region, recency }, RESULTS, { signal: call.signal })
          .catch((error: Error) => {
            call.fault(error);
            return [];
          }),
      ),
    );
    const webResults = mergeResults(lists, policy).slice(0, RESULTS);
    const lookUps = state.lookUps.filter(({ by }) => by !== "web");
    return { ...spoken, webQueries: queries, webResults, lookUps };
  };

const RESULTS = 10;
const QUERIES = 3;

/**
 * Builds the queries: those that the model asked for, or else the question as understood, its newest wording, and the question with the grader's entities that
 * it does not name. Never the conversation. A query that adds no word to an earlier one is left out.
 */
export function webQueries({
  understood,
  queries,
  verdict,
  lookUps = [],
}: Pick<State, "understood" | "queries" | "verdict"> & Partial<Pick<State, "lookUps">>): string[] {
  const question = understood?.question ?? "";
  // What the documents say must not leave in a query: no name or amount that the question does not have.
  const wanted = lookUps
    .filter(({ by, words }) => by === "web" && absentFrom(words, question).length === 0)
    .map(({ words }) => onOneLine(words));
  if (wanted.length > 0) return [...new Set(wanted)].slice(0, QUERIES);
  const missing = (verdict?.entities ?? []).filter((name) => !plain(question).includes(plain(name)));
  const candidates = [question, queries.at(-1)?.text ?? "", [...missing, question].join(" ")];
  const kept: string[] = [];
  const known = new Set<string>();
  for (const text of candidates.map(onOneLine)) {
    const fresh = contentTerms(text)
      .flatMap(words)
      .filter((word) => !known.has(word));
    if (text === "" || (kept.length > 0 && fresh.length === 0)) continue;
    kept.push(text);
    for (const word of fresh) known.add(word);
  }
  return kept.slice(0, QUERIES);
}

/** Splits Chinese terms into characters: pairs in another order are not new words. */
const words = (term: string) => (/^\p{Script=Han}+$/u.test(term) ? [...term] : [term]);

/**
 * Puts a query on one line, short enough for every search engine. Spaces inside Chinese are removed, since search
 * engines split Chinese into words themselves.
 */
const onOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, "")
    .trim()
    .slice(0, MAX_QUERY_LENGTH);
const MAX_QUERY_LENGTH = 300;

/**
 * The queries that a person approves, each on one line; none if nobody can be asked. The answer gets a message of its
 * own. The message that asked stays in the thread only if there was a reply.
 */
function approved(wanted: string[], { messages, answering, decisions }: State, ask: Run["ask"]) {
  const reply = ask({ question: "", reason: decisions.at(-1)?.reason, queries: wanted });
  const decided = decisionsIn(reply);
  const texts = decided
    ? wanted.flatMap((query, i) => approvedQueries([query], decided[i]))
    : approvedQueries(wanted, reply);
  const kept = texts.map(onOneLine).filter((text) => text !== "");
  const unheard = reply === undefined ? messages.filter(({ id }) => id === answering) : [];
  return {
    queries: kept.slice(0, QUERIES),
    answering: crypto.randomUUID(),
    said: "",
    messages: unheard.map(({ id = "" }) => new RemoveMessage({ id })),
  };
}
