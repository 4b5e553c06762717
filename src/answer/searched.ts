import type { State } from "../graph/state.js";
import type { Place } from "./phrases.js";

/** Where a run looked, and what it could not search. */
export interface Searched {
  /** The documents where they were searched; the graph where it says something; the web where a query of it was answered. */
  places: Place[];
  /** What was to be searched and failed, with the fault. */
  failed: { place: Place; why: string }[];
  /** There are no documents. */
  isEmpty: boolean;
}

export function searchedIn({ decisions, attempts, webQueries }: State): Searched {
  const found = (place: Place) => attempts.some(({ evidenceIds }) => evidenceIds.some((id) => placeOf(id) === place));
  const taken = (step: string) => decisions.filter((decision) => decision.step === step);
  const retrieved = taken("retrieve");
  const isEmpty = !found("document") && retrieved.some(({ faults }) => faults.some((fault) => EMPTY.test(fault)));
  const failures = (step: string) =>
    taken(step).map(({ faults }) => faults.filter((fault) => !LESSER.test(fault) && !EMPTY.test(fault)));

  const documents = failures("retrieve");
  const graph = failures("queryGraph");
  const web = failures("searchWeb");
  const failed: Searched["failed"] = [];
  const note = (place: Place, faults: readonly string[][], isDown: boolean) => {
    const [why] = faults.flat();
    if (isDown && why !== undefined) failed.push({ place, why: why.replace(/^\w+: /, "") });
  };
  note(
    "document",
    documents,
    documents.every((faults) => faults.length > 0),
  );
  note("graph", graph, !found("graph"));
  // Each query has a fault of its own.
  note(
    "web",
    web.length > 0 ? [taken("searchWeb").flatMap(({ faults }) => faults)] : [],
    web.length > 0 && taken("searchWeb").every(({ faults }) => faults.length >= webQueries.length),
  );
  const isDown = (place: Place) => failed.some((one) => one.place === place);
  const places = PLACES.filter(
    (place) =>
      !isDown(place) &&
      (place === "document"
        ? retrieved.length === 0 || !isEmpty
        : found(place) || (place === "web" && webQueries.length > 0)),
  );
  return { places, failed, isEmpty };
}

const PLACES = ["document", "graph", "web"] as const;

const placeOf = (id: string): Place => (id.startsWith("graph:") ? "graph" : id.startsWith("web:") ? "web" : "document");

const EMPTY = /^EmptyStoreError\b/;
/** Faults after which the source was still searched: by words alone, or without a query that a model wrote. */
const LESSER = /^(?:EndpointError|CypherError|MalformedReplyError|BudgetSpentError)\b/;
