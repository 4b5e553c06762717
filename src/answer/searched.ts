import type { State } from "../state/state.js";
import type { StepFault } from "../types/events.js";
import type { Searched, SourceKind } from "./messages/terms.js";

export function searchedIn({ decisions, attempts, webQueries }: State): Searched {
  const found = (place: SourceKind) =>
    attempts.some(({ evidenceIds }) => evidenceIds.some((id) => placeOf(id) === place));
  const faultsOf = (step: string) => decisions.filter((one) => one.step === step).map(({ faults }) => faults);

  const retrieved = faultsOf("retrieve");
  const isEmpty = !found("document") && retrieved.flat().some(({ name }) => name === EMPTY);
  const failed: Searched["failed"] = [];
  const note = (place: SourceKind, faults: readonly StepFault[], isDown: boolean) => {
    const [first] = faults;
    if (isDown && first) failed.push({ place, why: first.message });
  };
  note(
    "document",
    retrieved.flat().filter(isGrave),
    retrieved.every((faults) => faults.some(isGrave)),
  );
  note("graph", faultsOf("queryGraph").flat().filter(isGrave), !found("graph"));
  // A web search logs one fault for each query that failed.
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

const isGrave = ({ name }: StepFault) => !LESSER.has(name) && name !== EMPTY;

const EMPTY = "EmptyStoreError";

/** Faults after which the source was still searched: by words alone, or without a query written by a model. */
const LESSER = new Set(["EndpointError", "CypherError", "MalformedReplyError", "BudgetSpentError"]);
