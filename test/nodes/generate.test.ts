import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";

const towns = (from: number) => Array.from({ length: 5 }, (_, i) => `- town ${from + i}`).join("\n");
const passages = [0, 1, 2].map((position) => ({
  ...fakePassage("towns", `Shops are open in these towns:\n\n${towns(5 * position)}`),
  id: `towns#${position}`,
  position,
}));

test("a list is quoted with what the next passages have of it, though they were not found", async () => {
  const fakes = fakeTools({ passages });
  const documents = {
    ...fakes.documents,
    search: async () => passages.slice(0, 1).map((passage) => ({ ...passage, score: 1 })),
    neighbours: async () => passages.slice(1),
  };
  const agent = createAgent({ tools: { ...fakes, ...localReasoners(), documents } });
  const { text, claims } = await agent.ask("Shops are open in which towns?");
  expect(claims).toHaveLength(16);
  expect(text).toContain("- town 14 [");
  await agent.close();
});

test("an answer does without the passages beside it if they cannot be read", async () => {
  const fakes = fakeTools({ passages });
  const documents = {
    ...fakes.documents,
    search: async () => passages.slice(0, 1).map((passage) => ({ ...passage, score: 1 })),
    neighbours: async () => {
      throw new Error("no neighbours");
    },
  };
  const agent = createAgent({ tools: { ...fakes, ...localReasoners(), documents } });
  const { claims, faults } = await agent.ask("Shops are open in which towns?");
  expect(claims).toHaveLength(6);
  expect(faults.map(({ message }) => message)).toContain("no neighbours");
  await agent.close();
});
