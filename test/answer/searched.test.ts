import { expect, test } from "vitest";
import { searchedIn } from "../../src/answer/failures.js";
import type { State } from "../../src/state/state.js";
import type { Fault } from "../../src/types/fault.js";

const FAULT: Fault = { part: "web_search", name: "EndpointError", message: "SearXNG answers with status 500." };

/** A run whose web search sent two queries, of which the first `count` failed. */
const withFailedQueries = (count: number) =>
  searchedIn({
    webQueries: ["ferry times", "ferry prices"],
    attempts: [],
    decisions: [
      { step: "retrieve", faults: [] },
      { step: "searchWeb", faults: Array(count).fill(FAULT) },
    ],
  } as unknown as State);

test("the web counts as searched if one of its queries was answered, and as failed if none was", () => {
  expect(withFailedQueries(0)).toMatchObject({ places: ["document", "web"], failed: [] });
  expect(withFailedQueries(1)).toMatchObject({ places: ["document", "web"], failed: [] });
  expect(withFailedQueries(2)).toMatchObject({
    places: ["document"],
    failed: [FAULT],
  });
});
