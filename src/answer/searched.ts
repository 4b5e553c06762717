import type { State } from "../state/state.js";
import type { SourceKind } from "./phrases.js";

/** What a run searched, and what it could not search. */
export interface Searched {
  /** The documents if they were searched, the graph if it had facts, the web if it answered a query. */
  places: SourceKind[];
  /** The sources that could not be searched, with the fault. */
  failed: { place: SourceKind; why: string }[];
  /** True if there are no documents. */
  isEmpty: boolean;
}

export function searchedIn({ decisions, attempts, webQueries }: State): Searched {
  const found = (place: SourceKind) =>
    attempts.some(({ evidenceIds }) => evidenceIds.some((id) => placeOf(id) === place));
  const faultsOf = (step: string) => decisions.filter((one) => one.step === step).map(({ faults }) => faults);
  const isGrave = (fault: string) => !LESSER.test(fault) && !EMPTY.test(fault);

  const retrieved = faultsOf("retrieve");
  const isEmpty = !found("document") && retrieved.flat().some((fault) => EMPTY.test(fault));
  const failed: Searched["failed"] = [];
  const note = (place: SourceKind, faults: readonly string[], isDown: boolean) => {
    const [why] = faults;
    if (isDown && why !== undefined) failed.push({ place, why: why.replace(/^\w+: /, "") });
  };
  note(
    "document",
    retrieved.flat().filter(isGrave),
    retrieved.every((faults) => faults.some(isGrave)),
  );
  note("graph", faultsOf("queryGraph").flat().filter(isGrave), !found("graph"));
  // Every query of a search has a fault of its own.
  const web = faultsOf("searchWeb");
  note(
    "web",
    web.flat(),
    web.every((faults) => faults.length >= webQueries.length),
  );
  const places = PLACES.filter((place) => {
    if (failed.some((one) => one.place === place)) return false;
    return place === "document"
      ? retrieved.length === 0 || !isEmpty
      : found(place) || (place === "web" && webQueries.length > 0);
  });
  return { places, failed, isEmpty };
}

const PLACES = ["document", "graph", "web"] as const;

const placeOf = (id: string): SourceKind =>
  id.startsWith("graph:") ? "graph" : id.startsWith("web:") ? "web" : "document";

const EMPTY = /^EmptyStoreError\b/;

/** Faults despite which the source was searched: by words alone, or without a query by a model. */
const LESSER = /^(?:EndpointError|CypherError|MalformedReplyError|BudgetSpentError)\b/;
