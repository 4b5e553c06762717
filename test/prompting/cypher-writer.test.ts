import { describe, expect, test } from "vitest";
import { BudgetSpentError, MalformedReplyError } from "../../src/errors.js";
import { modelCypherWriter, withParameters } from "../../src/prompting/cypher-writer.js";
import { meter } from "../../src/testing/reasoners-sample.js";
import type { Chat, ChatRequest } from "../../src/tools/chat/port.js";
import type { CypherTask } from "../../src/tools/knowledge/port.js";
import { MOVIES } from "./graph-schemas.js";

const TASK: CypherTask = {
  question: "Who directed Top Gun?",
  language: "en",
  schema: MOVIES,
  entities: [{ name: "Top Gun", type: "Movie" }],
  tried: [],
};

let chats = 0;

/** A writer over a model that gives these replies in order and repeats the last one. `requests` records its input. */
function writing(...replies: (string | object)[]) {
  const requests: ChatRequest[] = [];
  chats += 1;
  const chat: Chat = {
    name: "scripted",
    identity: `scripted writer ${chats}`,
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async (request) => {
      const reply = replies[Math.min(requests.length, replies.length - 1)] ?? "";
      requests.push(request);
      const text = typeof reply === "string" ? reply : JSON.stringify(reply);
      return { text, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 1 } };
    },
  };
  const { call, ...seen } = meter();
  return { write: (task = TASK) => modelCypherWriter(chat).write(task, call), requests, call, ...seen };
}

const GOOD = "MATCH (p:Person)-[:DIRECTED]->(m:Movie {title: 'Top Gun'}) RETURN p.name";

describe("a query from a model", () => {
  test("has its strings replaced by parameters", async () => {
    expect(await writing({ cypher: GOOD }).write()).toEqual({
      cypher: "MATCH (p:Person)-[:DIRECTED]->(m:Movie {title: $value1}) RETURN p.name",
      parameters: { value1: "Top Gun" },
    });
  });

  test.each([`\`\`\`cypher\n${GOOD};\n\`\`\``, `  ${GOOD} ; `, `\`\`\`\n${GOOD}\`\`\``])(
    "is extracted from the surrounding reply: %j",
    async (cypher) => {
      expect((await writing({ cypher }).write())?.cypher).toMatch(/^MATCH .* RETURN p\.name$/);
    },
  );

  test.each(["none", "None.", "", "NONE;"])("is absent if the model replies %j", async (cypher) => {
    const { write, requests } = writing({ cypher });
    expect(await write()).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  test("has its arrows corrected by the schema, without another call", async () => {
    const { write, requests } = writing({ cypher: "MATCH (m:Movie)-[:DIRECTED]->(p:Person) RETURN p.name" });
    expect((await write())?.cypher).toBe("MATCH (m:Movie)<-[:DIRECTED]-(p:Person) RETURN p.name");
    expect(requests).toHaveLength(1);
  });
});

describe("a query that the schema cannot answer", () => {
  const WRONG = { cypher: "MATCH (f:Film) RETURN f.title" };

  test("is returned to the model once, with the alternatives", async () => {
    const { write, requests } = writing(WRONG, { cypher: GOOD });
    expect((await write())?.cypher).toContain("DIRECTED");
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)?.content).toContain("There is no label Film; there is: Movie, Person.");
  });

  test("is not run if the model insists, with a fault", async () => {
    const { write, requests, faults } = writing(WRONG);
    expect(await write()).toBeUndefined();
    expect(requests).toHaveLength(2);
    expect(faults.join()).toContain("no label Film");
  });

  test("is given up at once if the graph has refused a query before", async () => {
    const { write, requests } = writing(WRONG);
    expect(await write({ ...TASK, tried: [{ cypher: "X", error: "Y" }] })).toBeUndefined();
    expect(requests).toHaveLength(1);
  });
});

test("a query that has failed is not run again", async () => {
  const { write, faults } = writing({ cypher: GOOD });
  const first = await write();
  expect(await write({ ...TASK, tried: [{ cypher: first?.cypher ?? "", error: "no" }] })).toBeUndefined();
  expect(faults.join()).toContain("written again");
});

test("the prompt contains the newest two attempts with the errors of the server", async () => {
  const tried = ["first", "second", "third"].map((word) => ({ cypher: `RETURN '${word}'`, error: `no ${word}` }));
  const { write, requests } = writing({ cypher: GOOD });
  await write({ ...TASK, tried });
  const asked = requests[0]?.messages.map(({ content }) => content).join("\n") ?? "";
  expect(asked).toContain("no second");
  expect(asked).toContain("RETURN 'third'");
  expect(asked).not.toContain("first");
});

test.each(["I cannot.", '{"cypher": 3}', '{"query": "x"'])(
  "a reply that is not a query is an error with a clear message: %s",
  async (reply) => {
    await expect(writing(reply).write()).rejects.toThrow(MalformedReplyError);
  },
);

test("no call is made if the budget allows none", async () => {
  const { requests, call, write: _ } = writing({ cypher: GOOD });
  const chat: Chat = { name: "", identity: "unasked", formats: ["prompt"], timeoutMs: 1, send: () => Promise.reject() };
  await expect(modelCypherWriter(chat).write(TASK, { ...call, calls: 0 })).rejects.toThrow(BudgetSpentError);
  expect(requests).toHaveLength(0);
});

describe("strings become parameters", () => {
  const lifted = (cypher: string, names: readonly string[] = []) => withParameters(cypher, names);

  test("numbered, one for each value", () => {
    expect(lifted(`MATCH (m) WHERE m.title = "A" OR m.title STARTS WITH 'B' OR m.title = 'A' RETURN m`)).toEqual({
      cypher: "MATCH (m) WHERE m.title = $value1 OR m.title STARTS WITH $value2 OR m.title = $value1 RETURN m",
      parameters: { value1: "A", value2: "B" },
    });
  });

  test("with their unescaped values, even quotes and statements", () => {
    const { cypher, parameters } = lifted(
      String.raw`MATCH (m) WHERE m.t = 'It\'s "x"\n' AND m.u = "') DETACH DELETE m //" RETURN m`,
    );
    expect(cypher).toBe("MATCH (m) WHERE m.t = $value1 AND m.u = $value2 RETURN m");
    expect(parameters).toEqual({ value1: 'It\'s "x"\n', value2: "') DETACH DELETE m //" });
  });

  test("in the spelling of the graph if only the spelling differs", () => {
    expect(lifted("RETURN 'cote de blaye' AS a", ["Côte de Blaye"]).parameters).toEqual({ value1: "Côte de Blaye" });
    expect(lifted("MATCH (n {a: 'x'}) RETURN n", ["X", "Ｘ"]).parameters).toEqual({ value1: "x" });
    expect(lifted("MATCH (n) WHERE toLower(n.name) = 'top gun' RETURN n", ["Top Gun"]).parameters).toEqual({
      value1: "top gun",
    });
  });

  test("without touching parameters, numbers or other escapes", () => {
    const odd = String.raw`MATCH (n) WHERE n.a <> $a AND n.b > 3 RETURN 'a\qb'`;
    expect(lifted(odd)).toEqual({ cypher: odd, parameters: {} });
  });

  test("and a query that cannot be parsed stays unchanged", () => {
    expect(lifted("RETURN 'x")).toEqual({ cypher: "RETURN 'x", parameters: {} });
  });
});
