import { setImmediate } from "node:timers/promises";
import { FetchRefusedError, toError } from "../errors.js";
import { asEvidence, makeRoom } from "../reading/evidence.js";
import type { Node } from "../state/node.js";
import type { Tools } from "../state/tools.js";
import { visible } from "../text/decode.js";
import { plainHeads } from "../text/orders.js";
import { outlineOf } from "../text/outline.js";
import { coverage, inverseFrequency } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import { mergeResults } from "../tools/web/merge-results.js";
import type { WebPage, WebResult } from "../tools/web/port.js";
import type { Evidence } from "../types/evidence.js";

/**
 * Reads the pages that a web search found, in parallel, and keeps the parts that share words with the question. If a
 * page cannot be read, the whole sentences of the search engine's excerpt replace it, marked as a preview.
 */
export const readPages =
  ({ pageReader }: Pick<Tools, "pageReader">): Node =>
  async (state, { context, call }) => {
    const { understood, webResults } = state;
    if (!pageReader || !understood || !context.sources.web) return { webResults: [] };
    const now = new Date().toISOString();
    const parts = await Promise.all(
      mergeResults([webResults], context.web)
        .slice(0, context.web.pages)
        .map(async (result): Promise<Evidence[]> => {
          try {
            const page = await pageReader.read(result.url, { signal: call.signal, language: understood.language });
            // A redirect may have led to a domain that is not allowed.
            if (mergeResults([[{ ...result, url: page.url }]], context.web).length === 0)
              throw new FetchRefusedError(
                "url",
                result.url,
                `it redirects to ${page.url}, outside the domains allowed.`,
              );
            return await partsOf(page, result, now, call.signal);
          } catch (error) {
            call.fault(toError(error));
            return preview(result, now);
          }
        }),
    );
    const { kept, excluded } = makeRoom(state, context);
    const known = new Set([...excluded, ...kept.map((piece) => piece.id)]);
    const best = await bestOf(
      [...new Map(parts.flat().map((part) => [part.id, part])).values()],
      understood.question,
      understood.passages,
    );
    const fresh = best.filter((piece) => !known.has(piece.id));
    return { webResults: [], ...(fresh.length > 0 && { evidence: [...kept, ...fresh], excluded }) };
  };

async function partsOf(
  page: WebPage,
  result: WebResult,
  retrievedAt: string,
  signal: AbortSignal,
): Promise<Evidence[]> {
  const title = page.title || result.title || page.url;
  const reviewedAt = (page.modified || page.published || result.published).slice(0, "2026-01-31".length);
  const document = { documentId: page.url, uri: page.url, title, reviewedAt, hash: "", format: "markdown" as const };
  // Loaded here, since most questions read no page.
  const { cutInOwnProcess } = await import("../ingest/chunk.js");
  const { passages } = await cutInOwnProcess({ ...document, text: page.markdown }, signal);
  return passages.map(({ id, section, text, language }) =>
    plainHeads(
      asEvidence({
        ...fromWeb(retrievedAt),
        id: `web:${id}`,
        title,
        uri: page.url,
        section,
        text,
        language,
        reviewedAt,
      }),
    ),
  );
}

function preview({ url, title, snippet, published }: WebResult, retrievedAt: string): Evidence[] {
  const text = wholeSentences(visible(snippet));
  if (text === "") return [];
  const found = { id: `web:${url}#preview`, title, uri: url, text, reviewedAt: published, preview: true as const };
  return [plainHeads(asEvidence({ ...fromWeb(retrievedAt), ...found }))];
}

const fromWeb = (retrievedAt: string) => ({ source: "web", score: 0, retrievedAt }) as const;

/** The parts with most of the question's words, rare ones counting for more; at most `A_PAGE` of one page. */
async function bestOf(parts: readonly Evidence[], question: string, limit: number): Promise<Evidence[]> {
  const wanted = contentTerms(question);
  const texts: Set<string>[] = [];
  for (const { title, section, text } of parts) {
    texts.push(new Set(contentTerms(`${title} ${section}\n${text}`)));
    // A long page has a thousand parts, and other work is waiting.
    await setImmediate();
  }
  const weight = inverseFrequency(texts);
  const scored = parts.map((part, i) => ({
    ...part,
    score: coverage(wanted, texts[i] ?? new Set(), (term) => COMMON + weight(term)),
  }));
  const taken = new Map<string, number>();
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .filter(({ uri }) => {
      const before = taken.get(uri) ?? 0;
      taken.set(uri, before + 1);
      return before < A_PAGE;
    })
    .slice(0, limit);
}

const A_PAGE = 3;
const COMMON = 0.2;

/**
 * Returns the sentences of an excerpt that are complete in it. Excerpts are cut to length: "worth $6" may have read
 * "worth $600 million", and "… opened in 1998" may have begun with "was not". A sentence right after an ellipsis lacks
 * its beginning, and one without a closing mark lacks its end. A short number with a full stop at the very end of the
 * excerpt may have lost its decimals. Sentences from different parts of the page become separate paragraphs. Empty if
 * no sentence is complete.
 */
export function wholeSentences(excerpt: string): string {
  const parts = excerpt.trim().split(CUT);
  return parts
    .map((part, i) => {
      const isLast = i === parts.length - 1;
      const whole = outlineOf(part)
        .map((unit) => unit.text)
        .filter((sentence, n) => !(i > 0 && n === 0) && ENDED.test(sentence))
        .filter((sentence) => !(isLast && part.endsWith(sentence) && /(?<!\p{N})\p{N}{1,3}\.$/u.test(sentence)));
      return whole.join(/\p{Script=Han}/u.test(part) ? "" : " ");
    })
    .filter((part) => part !== "")
    .join("\n\n");
}

const CUT = /[ \t]*(?:\.{3,}|…+|\[(?:\.{3}|…)\])[ \t]*/;
const ENDED = /[.!?。！？]["'”’』」)）\]]*$/u;
