import { describe, expect, test } from "vitest";
import { finished, type StartedServer } from "./start.js";

export const studioTests = (server: StartedServer) =>
  describe("Studio", () => {
    test("Studio shows a form for the input: a question or messages", async () => {
      const { input_schema } = await server.client.assistants.getSchemas("plain");
      expect(input_schema).toMatchObject({
        type: "object",
        properties: {
          question: { type: "string", default: "", description: expect.any(String) },
          messages: { langgraph_type: "messages" },
        },
      });
      expect(Object.keys(input_schema?.properties ?? {}).toSorted()).toEqual(["messages", "question"]);
      expect(input_schema).not.toHaveProperty("required");
    });

    test("Studio shows a form for the context, with a description and the default of every value", async () => {
      const { context_schema } = await server.client.assistants.getSchemas("plain");
      // How words are chosen has no default either: a model of one's own has its own.
      const { budget, sources, web, prompts, temperature, topP, ...values } = context_schema?.properties ?? {};
      for (const [value, maximum] of [
        [temperature, 2],
        [topP, 1],
      ])
        expect(value).toMatchObject({ type: "number", minimum: 0, maximum, description: expect.any(String) });
      expect(values).toMatchObject({
        generateAt: { type: "number", default: 0.6, minimum: 0, maximum: 1 },
        rewriteBelow: { default: 0.3 },
        minRelevant: { default: 2 },
        passages: { default: 0 },
        repairs: { default: 1 },
      });
      const { properties: limits = {}, description } = Object(budget);
      expect(description).toEqual(expect.any(String));
      expect(limits).toMatchObject({
        rounds: { description: expect.stringContaining("Default: 3") },
        calls: { description: expect.stringContaining("Default: 6") },
        tokens: { default: 100_000 },
        seconds: { default: 60 },
        steps: { default: 60 },
      });
      const { properties: places = {} } = Object(sources);
      expect(places).toMatchObject({ graph: { type: "boolean", default: true, description: expect.any(String) } });
      expect(Object(web).properties).toMatchObject({
        approve: { type: "boolean", default: false, description: expect.stringContaining("person") },
        pages: { default: 4 },
        deny: { default: [] },
      });
      // Calls and rounds have no default, since it depends on the form of the run.
      const { calls: _, rounds: __, ...rest } = Object(limits);
      const texts = Object.values<unknown>(Object(prompts).properties);
      expect(texts).toHaveLength(3);
      for (const value of [...Object.values(values), ...Object.values(rest), ...texts])
        expect(value).toMatchObject({ description: expect.any(String), default: expect.anything() });
      for (const part of [context_schema, budget, sources, web, prompts]) expect(part).not.toHaveProperty("required");
    });

    test("Studio gets a schema of the state, so that every step can be read and edited", async () => {
      const { state_schema, output_schema } = await server.client.assistants.getSchemas("plain");
      expect(Object.keys(state_schema?.properties ?? {})).toEqual(
        expect.arrayContaining(["queries", "evidence", "verdict", "draft", "report", "attempts", "decisions", "spend"]),
      );
      expect(Object.keys(output_schema?.properties ?? {}).toSorted()).toEqual(["answer", "decisions", "messages"]);
    });

    test("Studio draws the graph with its edges and without sources that are off", async () => {
      const { nodes, edges } = await server.client.assistants.getGraph("plain");
      expect(nodes.map((node) => node.id)).toEqual(
        expect.arrayContaining([
          "understand",
          "retrieve",
          "grade",
          "queryGraph",
          "rewriteQuery",
          "generate",
          "checkAnswer",
          "clarify",
          "respond",
        ]),
      );
      const from = (node: string) =>
        edges
          .filter((edge) => edge.source === node)
          .map((edge) => edge.target)
          .toSorted();
      expect(from("grade")).toEqual(["clarify", "generate", "queryGraph", "respond", "retrieve", "rewriteQuery"]);
      expect(from("checkAnswer")).toEqual(["clarify", "generate", "queryGraph", "respond", "rewriteQuery"]);
      expect(edges.filter((edge) => edge.source === "grade").every((edge) => edge.conditional)).toBe(true);
    });

    test("a wrong edit of the state is refused with the field that is wrong, and changes nothing", async () => {
      const { threads, runs } = server.client;
      const { thread_id } = await threads.create();
      const input = { question: "When does the Lisbon office open?" };
      await finished(runs.wait(thread_id, "plain", { input }));
      const before = (await threads.getState(thread_id)).values;
      const edit = (values: object, asNode = "grade") => threads.updateState(thread_id, { values, asNode });
      await expect(edit({ evidnce: [] })).rejects.toThrow(/^HTTP 422: .*no field evidnce\. Its fields are .*evidence/);
      await expect(edit({ verdict: "good" })).rejects.toThrow(/^HTTP 422: .*verdict: Invalid input: expected object/);
      await expect(edit({ evidence: [{ id: 3 }] })).rejects.toThrow(/^HTTP 422: .*evidence\[0\]\.id: /);
      await expect(edit({ queries: [] }, "grading")).rejects.toThrow(/^HTTP 422: .*\\"grading\\" does not exist/);
      expect((await threads.getState(thread_id)).values).toEqual(before);
    });

    test("Studio finds the graph by its name", async () => {
      const [assistant] = await server.client.assistants.search({ graphId: "plain" });
      expect(assistant).toMatchObject({ graph_id: "plain", name: "plain" });
    });
  });
