import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { ingestDocuments } from "../../src/index.js";
import { page, wiki } from "./wiki.js";

// A page that was restricted at its source is asked for by somebody who may read it and by somebody who may not.

const SALARIES = `# Salaries

The salary of a director is 90,000 euros.

| Role | Lead | Salary |
|-|-|-|
| Heron | Noor el Amrani | 80,000 |
| Roost | Ada Berg | 90,000 |
`;
const asked = (identity: string, ...groups: string[]) => ({
  configurable: {
    langgraph_auth_user: {
      identity,
      emend_scope: [
        { key: "readers", values: ["everyone", `user:${identity}`, ...groups.map((name) => `group:${name}`)] },
      ],
    },
  },
});
const ADA = asked("ada@example.org", "hr");
const BO = asked("bo@example.org", "engineering");

test("a page that is restricted at its source is restricted right after the next sync, without being read again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "emend-rights-"));
  const agent = createAgent({ store: join(folder, ".emend"), encoder: "off", context: { sources: { web: false } } });
  const { documents, knowledge } = agent.tools;
  const { source, pages, reads } = wiki({
    salaries: page(SALARIES, { readers: ["everyone"], title: "Salaries" }),
    canteen: page("The canteen opens at noon.", { readers: ["everyone"] }),
    draft: page("The salary of an intern is 20,000 euros.", { readers: [] }),
  });
  const sync = () => ingestDocuments(source, { documents, knowledge, within: "wiki:hr" });
  const answers = async (question: string, who: typeof ADA) => {
    const { text, references, status } = await agent.ask(question, who);
    return status === "answered" ? `${text} ${references.map(({ uri }) => uri)}` : status;
  };
  const SALARY = "What is the salary of a director?";
  const SUM = "What is the sum of the salaries?";
  const LEAD = "Who leads Roost?";
  try {
    await sync();
    expect(await answers(SALARY, BO)).toContain("90,000 euros");
    expect(await answers(SUM, BO)).toContain("170,000");
    expect(await answers(LEAD, BO)).toContain("Ada Berg");
    reads.length = 0;
    pages.salaries = page(SALARIES, { readers: ["group:hr"], title: "Salaries" });
    expect(await sync()).toMatchObject({ written: 0, unchanged: 2, restamped: 1, passages: 0 });
    expect(reads).toEqual([]);
    for (const question of [SALARY, SUM, LEAD])
      expect(await answers(question, BO)).not.toMatch(/90,000|170,000|Berg|salar/i);
    expect(await answers("When does the canteen open?", BO)).toContain("noon");
    expect(await answers(SALARY, ADA)).toContain("90,000 euros");
    expect(await answers(SUM, ADA)).toContain("170,000");
    expect(await answers(LEAD, ADA)).toContain("Ada Berg");
    for (const who of [ADA, BO]) expect(await answers("What is the salary of an intern?", who)).not.toContain("20,000");
  } finally {
    await agent.close();
    await rm(folder, { recursive: true, force: true });
  }
});
