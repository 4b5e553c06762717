import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CypherError, UsageError } from "../../../src/errors.js";
import { runCypher, splitCypher } from "../../../src/tools/neo4j/run-cypher.js";

describe("a script is split", () => {
  test("only at semicolons that end statements", () => {
    const script = `CREATE (:A {text: 'one; "two'});
MATCH (n) WHERE n.text = "it's; \\"quoted\\";" RETURN n;
CREATE (:\`odd;\`\`label\`) // a comment; with a semicolon
;
/* nothing; but
a comment; */
;
// 只有注释；;
CREATE (:部门 {名: '采购；部'})`;
    expect(splitCypher(script)).toEqual([
      { line: 1, text: `CREATE (:A {text: 'one; "two'})` },
      { line: 2, text: `MATCH (n) WHERE n.text = "it's; \\"quoted\\";" RETURN n` },
      { line: 3, text: "CREATE (:`odd;``label`) // a comment; with a semicolon" },
      { line: 9, text: "CREATE (:部门 {名: '采购；部'})" },
    ]);
  });

  test("into one last statement if a string, a name or a comment is never closed", () => {
    expect(splitCypher("RETURN 1; RETURN 'a; RETURN 2").map(({ text }) => text)).toEqual([
      "RETURN 1",
      "RETURN 'a; RETURN 2",
    ]);
    expect(splitCypher("RETURN 1; RETURN `a; RETURN 2")).toHaveLength(2);
    expect(splitCypher("RETURN 1; /* RETURN 2; RETURN 3")).toHaveLength(1);
  });

  test("into no statements if it is empty", () => {
    expect(splitCypher(" ;; \n // nothing\n")).toEqual([]);
  });
});

describe("a script is run", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "emend-cypher-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function run(script: string | Uint8Array, options: { failAt?: number; signal?: AbortSignal } = {}) {
    const path = join(folder, "graph.cypher");
    await writeFile(path, script);
    const ran: string[] = [];
    const connection = {
      async write(statements: readonly { cypher: string }[]) {
        if (ran.length === options.failAt) throw new CypherError("Invalid input 'CREAT'", true);
        ran.push(statements.map(({ cypher }) => cypher).join("|"));
      },
    };
    const outcome = await runCypher(path, { connection, ...(options.signal && { signal: options.signal }) }).catch(
      (error: unknown) => error,
    );
    return { ran, outcome };
  }

  test("one statement after another, each in its own transaction", async () => {
    const { ran, outcome } = await run("\uFEFFCREATE INDEX; CREATE (:A);\nCREATE (:B)");
    expect(ran).toEqual(["CREATE INDEX", "CREATE (:A)", "CREATE (:B)"]);
    expect(outcome).toBe(3);
  });

  test("up to the statement that fails, which is reported by its line", async () => {
    const { ran, outcome } = await run("CREATE (:A);\n\nCREATE (:B);\nCREAT (:C)", { failAt: 2 });
    expect(ran).toHaveLength(2);
    expect(outcome).toBeInstanceOf(CypherError);
    expect(String(outcome)).toMatch(/graph\.cypher, line 4: Invalid input 'CREAT' The 2 statements before it stay\./);
  });

  test("not at all if it contains shell commands or is not text", async () => {
    const shell = await run("CREATE (:A);\n:use movies;\nCREATE (:B)");
    expect(shell.outcome).toBeInstanceOf(UsageError);
    expect(String(shell.outcome)).toMatch(/line 2: :use movies is a command/);
    const binary = await run(new Uint8Array([1, 0, 0, 2, 0, 0, 3]));
    expect(binary.outcome).toBeInstanceOf(UsageError);
    expect([...shell.ran, ...binary.ran]).toEqual([]);
  });

  test("no further after an abort", async () => {
    const { ran, outcome } = await run("CREATE (:A)", { signal: AbortSignal.abort(new Error("stopped")) });
    expect([ran, String(outcome)]).toEqual([[], "Error: stopped"]);
  });
});

test.skipIf(process.platform === "win32")("a script that never ends is refused", async () => {
  const connection = { write: async () => {} };
  await expect(runCypher("/dev/zero", { connection })).rejects.toThrow(/has more than 64 MB. Split it/);
});
