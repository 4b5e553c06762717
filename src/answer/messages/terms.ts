import type { ClaimReason } from "../../types/claim-reason.js";
import type { Reason } from "../../types/events.js";
import type { Evidence } from "../../types/evidence.js";
import type { Fault } from "../../types/fault.js";

/** A kind of source. */
export type SourceKind = Evidence["source"];

/** What a run searched, and what it could not search. */
export interface Searched {
  /** The documents if they were searched, the graph if it had facts, the web if it answered a query. */
  places: SourceKind[];
  /** Why sources could not be searched: one fault for each. */
  failed: Fault[];
  /** True if there are no documents. */
  isEmpty: boolean;
}

/** What messages about failures need to know about a run. */
export interface Seen extends Searched {
  /** The number of different passages, facts and parts of pages that were graded. */
  graded: number;
  /** The number of these that were read: the others are unlikely to answer if the first do not. */
  read: number;
  /** True if only some documents were searched. */
  isFiltered: boolean;
  /** The best relevance among them, 0 to 1. */
  relevance: number;
  /** The rank of the most relevant one, from 1. */
  rank: number;
  /** The first fault of a part that reads or judges; absent if there is none. */
  fault?: Fault | undefined;
  /** The number of statements that did not pass the check. */
  dropped: number;
  /** True if a model was asked. */
  hasModel: boolean;
}

/** A reference with its date, which is empty if the source has none. */
export interface Dated {
  number: number;
  date: string;
}

/** Words that name sources: a number stands for the marker of that reference. */
export type CitingWords = readonly (string | number)[];

/** Why an edge is taken, or why a claim has its verdict. */
export type AnyReason = Reason | ClaimReason;
/** A sentence for every reason: a text, or a function where the sentence names something. `to` is the next step. */
export type Reasons = { readonly [Code in AnyReason["code"]]: SentenceOf<AnyReason & { code: Code }> };
type SentenceOf<Given> = keyof Given extends "code"
  ? string | ((given: Given, to: string) => string)
  : (given: Given, to: string) => string;

/** A fault on one line. Its message may be empty, since stored runs leave it out. */
export const faultInWords = ({ name, message }: Pick<Fault, "name" | "message">): string =>
  [name, message].filter(Boolean).join(": ");

/** True for a whole sentence. What a model says is missing has no full stop. */
export const isWhole = (text: string) => /[.。]$/u.test(text);

/** Ends a text with a full stop, unless it asks or exclaims. */
export function ended(text: string, stop: string): string {
  const bare = text.trim().replace(/[.。]*$/u, "");
  return /[?？!！]$/u.test(bare) ? bare : bare + stop;
}

/** The newest of the dates of sources, which have at least a year. */
export const newestOf = (dated: readonly Dated[]) =>
  dated
    .map(({ date }) => date)
    .toSorted()
    .at(-1) ?? "";

/** Returns the year of a date, or the whole date if it is in the current year. */
export const yearOf = (date: string) => {
  const year = date.slice(0, 4);
  return year === String(new Date().getFullYear()) ? date : year;
};

/** Returns the documents that a refusal names: the first three. */
export const shownOf = <T>(documents: readonly T[]) => documents.slice(0, 3);
