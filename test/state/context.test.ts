import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { Context, type ContextInput, contextOf, limitedBy } from "../../src/state/context.js";

const allowed = (given: ContextInput) => Context.parse(given);
const resumed = (before: ContextInput, now?: unknown) => contextOf({ context: now }, allowed(before));

/** LangGraph adds this to the config of a run that starts from an earlier step. */
const forked = (before: ContextInput, now?: unknown) =>
  contextOf({ context: now, configurable: { __pregel_replay_state: {} } }, allowed(before));

const strict: ContextInput = {
  generateAt: 0.9,
  citing: "inline",
  sources: { tables: false, graph: false, web: true },
  web: {
    approve: true,
    pages: 2,
    allow: ["a.org"],
    deny: ["b.a.org"],
    region: "nl",
    recency: "week",
    prefer: ["c.org"],
  },
  budget: { rounds: 1, calls: 0, tokens: 10, seconds: 5, steps: 9 },
};

const wide: ContextInput = {
  sources: { tables: true, graph: true, web: true },
  web: { approve: false, pages: 10, allow: [], deny: [] },
  budget: { rounds: 10, calls: 100, tokens: 1_000_000, seconds: 3600, steps: 200 },
};

describe("the context of a resumed run", () => {
  test.each([undefined, null, {}, { web: {} }, { sources: {}, budget: {} }, { web: { approve: undefined } }, wide])(
    "cannot widen the limits: %j",
    (now) => expect(resumed(strict, now)).toEqual(allowed(strict)),
  );

  test("leaves limits that it does not name unchanged, even above the defaults", () => {
    const before: ContextInput = { web: { pages: 10 }, budget: { rounds: 9, calls: 99 } };
    expect(resumed(before, { budget: { rounds: 2 } })).toEqual(
      allowed({ ...before, budget: { ...before.budget, rounds: 2 } }),
    );
  });

  test.each<[string, ContextInput, (context: Context) => unknown, unknown]>([
    ["the graph off", { sources: { graph: false } }, (c) => c.sources, { tables: true, graph: false, web: true }],
    ["tables off", { sources: { tables: false } }, (c) => c.sources, { tables: false, graph: true, web: true }],
    ["the web off", { sources: { web: false } }, (c) => c.sources, { tables: true, graph: true, web: false }],
    ["approval", { web: { approve: true } }, (c) => c.web.approve, true],
    ["fewer pages", { web: { pages: 1 } }, (c) => c.web.pages, 1],
    ["a domain denied", { web: { deny: ["bad.org"] } }, (c) => c.web.deny, ["bad.org"]],
    ["few domains allowed", { web: { allow: ["good.org"] } }, (c) => c.web.allow, ["good.org"]],
    ["a smaller budget", { budget: { seconds: 1, tokens: 5 } }, (c) => [c.budget.seconds, c.budget.tokens], [1, 5]],
  ])("can narrow: %s", (_, now, read, value) => expect(read(resumed({}, now))).toEqual(value));

  test("can add conditions to a filter, but not remove any", () => {
    const [hr, it, board] = ["hr", "it", "board"].map((value) => ({ key: "department", values: [value] }));
    if (!hr || !it || !board) throw new Error();
    expect(resumed({ filter: [hr] }, { filter: [it, hr] }).filter).toEqual([hr, it]);
    expect(resumed({ filter: [hr] }, { filter: [] }).filter).toEqual([hr]);
    expect(resumed({ filter: [hr] }, {}).filter).toEqual([hr]);
    expect(forked({ filter: [hr] }, { filter: [board] }).filter).toEqual([board]);
    expect(() => resumed({}, { filter: [{ key: "__proto__", values: [] }] })).toThrow("context.filter[0].key");
  });

  test("adds to the denied domains", () => {
    expect(resumed({ web: { deny: ["a.org", "b.org"] } }, { web: { deny: ["b.org", "c.org"] } }).web.deny).toEqual([
      "a.org",
      "b.org",
      "c.org",
    ]);
  });

  test.each([
    [["a.org", "b.org"], ["b.org", "c.org"], ["b.org"]],
    [["a.org"], ["docs.a.org"], ["docs.a.org"]],
    [["docs.a.org"], ["*.a.org"], ["docs.a.org"]],
    [["例子.cn"], ["文档.例子.cn"], ["文档.例子.cn"]],
    [["www.a.org"], ["A.ORG"], ["www.a.org", "A.ORG"]],
  ])("allows only the domains that are in both lists: %j and %j", (before, now, both) => {
    const { web, sources } = resumed({ web: { allow: before } }, { web: { allow: now } });
    expect(web.allow).toEqual(both);
    expect(sources.web).toBe(true);
  });

  test.each([
    [["a.org"], ["b.org"]],
    [["a.org"], ["nota.org"]],
    [["docs.a.org"], ["blog.a.org"]],
  ])("turns the web off if no domain is in both lists: %j and %j", (before, now) => {
    const { web, sources } = resumed({ web: { allow: before } }, { web: { allow: now } });
    expect(sources.web).toBe(false);
    expect(web.allow).toEqual(before);
  });

  test("does not change thresholds, style, region and preferences", () => {
    const now = { generateAt: 0.1, citing: "quote", web: { region: "cn", recency: "any", prefer: [] } };
    expect(resumed(strict, now)).toEqual(allowed(strict));
  });

  test("stays narrowed", () => {
    const once = resumed(wide, { web: { approve: true, deny: ["bad.org"] } });
    expect(contextOf({ context: wide }, once)).toEqual(once);
  });

  test("can deny more domains in total than one call may name", () => {
    const names = (from: number) => Array.from({ length: 200 }, (_, i) => `d${from + i}.org`);
    const once = resumed({ web: { deny: names(0) } }, { web: { deny: names(200) } });
    expect(contextOf({}, once).web.deny).toHaveLength(400);
  });

  test("is refused by name if a value is out of range", () => {
    expect(() => resumed(strict, { web: { pages: 0 } })).toThrow(UsageError);
    expect(() => resumed(strict, { web: { pages: 0 } })).toThrow("context.web.pages");
  });
});

describe("the context of a fork", () => {
  test("overrides the values that it names and keeps the others of the run", () => {
    expect(forked(strict, { generateAt: 0.4, web: { approve: false }, budget: { rounds: 5 } })).toEqual(
      allowed({
        ...strict,
        generateAt: 0.4,
        web: { ...strict.web, approve: false },
        budget: { ...strict.budget, rounds: 5 },
      }),
    );
    expect(forked(strict)).toEqual(allowed(strict));
  });
});

test.each([{ apiKey: "sk-1" }, { web: { token: "sk-1" } }, JSON.parse('{"__proto__": "sk-1"}')])(
  "a context with %j is refused, and the error does not show the value",
  (context) => {
    for (const read of [() => contextOf({ context }), () => resumed({}, context), () => forked({}, context)]) {
      expect(read).toThrow(/^Unknown option `context\.(?:apiKey|web\.token|__proto__)`/);
      expect(read).not.toThrow("sk-1");
    }
  },
);

test("a run stores nothing that LangGraph's servers add to its context", () => {
  const context = { thread_id: "sk-1", langgraph_auth_user: "sk-1", "x-key": "sk-1", generateAt: 0.7 };
  expect(contextOf({ context })).toEqual(allowed({ generateAt: 0.7 }));
});

test("a missing source is off, and the recursion limit of the caller lowers the budget of steps", () => {
  const { sources, budget } = limitedBy({ tables: true, graph: true, web: false })(Context.parse({}), {
    recursionLimit: 25,
  });
  expect(sources).toEqual({ tables: true, graph: true, web: false });
  expect(budget.steps).toBe(19);
  const longer = limitedBy({ tables: true, graph: true, web: false }, 2)(Context.parse({}), { recursionLimit: 25 });
  expect(longer.budget.steps).toBe(17);
});
