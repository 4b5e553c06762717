import assert from "node:assert/strict";
import type { Documents } from "../tools/documents/port.js";
import type { Embeddings } from "../tools/encoder/port.js";
import { fakePassage } from "./passage.js";

/** The passages of one document. */
export const pagesOf = (documentId: string, texts: readonly string[], hash = "") =>
  texts.map((text, position) => fakePassage(`${documentId}#${position}`, text, { documentId, position, hash }));

export const HANDBOOK = [
  ["refunds", "A customer may ask for a refund within thirty days of the purchase."],
  ["expenses", "The manager signs the expense report, and finance pays it within five days."],
  ["holiday", "Holiday is agreed with the manager and entered into the calendar."],
  ["security", "Lost badges are reported to the front desk on the same day."],
  ["refunds-zh", "顾客自购买之日起七天内可以退货，运费由公司承担。"],
  ["expenses-zh", "报销单由部门经理签字，财务在五个工作日内付款。"],
  ["holiday-zh", "休假须与经理商定，并记入日历。"],
  ["cluster-zh", "生产环境运行在三个 Kubernetes 集群上，由平台组维护。"],
  ["title-only", "Two weeks for every full year.", "Severance"],
  ["title-only-zh", "每满一年支付两周。", "遣散费"],
  ["section-only", "Listed below.", "", "Handbook › Appendix"],
  ["section-only-zh", "列于下方。", "", "手册 › 附录"],
].map(([documentId = "", text = "", title = documentId.split("-")[0], section = ""]) =>
  fakePassage(`${documentId}#0`, text, {
    documentId,
    title: title || "page",
    section,
    language: documentId.endsWith("-zh") ? "zh" : "en",
    uri: `handbook/${documentId}.md`,
    reviewedAt: "2026-01-31",
    hash: `hash of ${documentId}`,
    metadata: { department: "hr", author: 'O\'Neil, "陈=晨"', tags: "a, b\nc" },
  }),
);

const CONCEPTS = [
  /holiday|vacation|休假|旅游/i,
  /expense|reimburse|报销/i,
  /refund|money back|退货|退款/i,
  /badge|工牌/i,
];

/** Vectors of four concepts, so that tests know which texts are similar. */
export const conceptEmbeddings: Embeddings = {
  identity: "concepts",
  embed: async (texts, { signal }) => {
    signal?.throwIfAborted();
    return texts.map((text) => {
      const about = [...CONCEPTS.map((concept) => (concept.test(text) ? 1 : 0)), 0.1];
      const length = Math.hypot(...about);
      return about.map((x) => x / length);
    });
  },
};

/** Opens the same store each time: what one instance writes, the others read. */
export type OpenDocuments = (options?: { embeddings?: Embeddings }) => Documents;

/** An empty store, with a first instance of it that has no embeddings. */
export interface EmptyStore {
  open: OpenDocuments;
  documents: Documents;
}

export const idsOf = async (documents: Documents, text: string, limit = 10) =>
  (await documents.search({ text }, limit)).map(({ id }) => id);

export const textsOf = async (documents: Documents, ids: readonly string[]) =>
  (await documents.get(ids)).map(({ text }) => text);

/** Each of these words or questions finds the passage with this id first. */
export async function findsFirst(documents: Documents, expected: Readonly<Record<string, string>>) {
  await documents.upsert(HANDBOOK);
  for (const [text, id] of Object.entries(expected)) {
    const [best] = await idsOf(documents, text);
    assert.equal(best, id, `${JSON.stringify(text.slice(0, 80))} found ${best} first`);
  }
}

export const stated = (documentId: string, text: string, metadata: Record<string, string>, position = 0) =>
  fakePassage(`${documentId}#${position}`, text, { documentId, position, metadata });

export const twoDocuments = () => [...pagesOf("a", ["0", "1", "2", "3", "4"]), ...pagesOf("b", ["0", "1"])];

/** The handbook with vectors. */
export async function embedded(open: OpenDocuments): Promise<Documents> {
  const documents = open({ embeddings: conceptEmbeddings });
  await documents.upsert(HANDBOOK);
  await documents.embed?.();
  return documents;
}

/** Whether a passage is found that has none of the words. */
export const byMeaning = async (documents: Documents) =>
  (await documents.search({ text: "vacation" }, 5)).some(({ id }) => id === "holiday#0");
