import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { fakePassage } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { Embeddings } from "../../src/tools/encoder/port.js";
import type { Filter } from "../../src/types/filter.js";

/** Opens the same store each time; what one instance writes, the others read. */
export type OpenDocuments = (options?: { embeddings?: Embeddings }) => Documents;

/** Every adapter of Documents keeps these promises. `newStore` prepares a separate empty store for each test. */
export function documentsContract(name: string, newStore: () => Promise<OpenDocuments>) {
  describe(`${name} keeps the promises of Documents`, () => {
    let open: OpenDocuments;
    let documents: Documents;
    const opened: Documents[] = [];

    const begin = async () => {
      const store = await newStore();
      open = (options) => {
        const one = store(options);
        opened.push(one);
        return one;
      };
      documents = open();
    };
    const end = async () => {
      for (const one of opened.splice(0)) await one.close();
    };
    /** A separate empty store for each test of a group. */
    const each = () => {
      beforeEach(begin);
      afterEach(end);
    };
    /** One store for all tests of a group, which only read it, since filling one takes longer than most tests. */
    const once = (fill: () => unknown) => {
      beforeAll(async () => {
        await begin();
        await fill();
      });
      afterAll(end);
    };

    const found = async (text: string, limit = 10) => (await documents.search({ text }, limit)).map(({ id }) => id);

    describe("while nothing is stored", () => {
      each();

      test("finds, lists and removes nothing without an error", async () => {
        expect(await documents.search({ text: "refund 退款" }, 10)).toEqual([]);
        expect(await documents.get(["a#0"])).toEqual([]);
        expect(await documents.neighbours("a#0")).toEqual([]);
        expect(await documents.list()).toEqual([]);
        expect(await documents.isEmpty()).toBe(true);
        expect(await documents.remove(["a"])).toBe(0);
      });

      test("accepts empty lists", async () => {
        await documents.upsert([]);
        expect(await documents.remove([])).toBe(0);
        expect(await documents.get([])).toEqual([]);
        expect(await documents.list()).toEqual([]);
      });
    });

    describe("searching", () => {
      once(() => documents.upsert(HANDBOOK));

      test.each([
        ["refund within thirty days", "refunds#0"],
        ["Who signs the expense report?", "expenses#0"],
        ["七天内可以退货吗？", "refunds-zh#0"],
        ["报销单由谁签字", "expenses-zh#0"],
        ["Kubernetes 集群", "cluster-zh#0"],
        ["報銷單由誰簽字", "expenses-zh#0"],
        ["七天內可以退貨嗎？", "refunds-zh#0"],
      ])("finds the passage that has the words of %j", async (question, id) => {
        expect((await found(question))[0]).toBe(id);
      });

      test.each([
        ["severance", "title-only#0"],
        ["遣散费", "title-only-zh#0"],
        ["appendix", "section-only#0"],
        ["附录", "section-only-zh#0"],
      ])("finds %j if only the title or the section contains it", async (word, id) => {
        expect((await found(word))[0]).toBe(id);
      });

      test("returns the best passage first, each with all its stored fields", async () => {
        const results = await documents.search({ text: "expense report manager signs 报销单" }, 10);
        const scores = results.map(({ score }) => score);
        expect(results.length).toBeGreaterThan(1);
        expect(scores.every(Number.isFinite)).toBe(true);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        const [{ score: _, ...best } = { score: 0 }] = results;
        expect(best).toEqual(HANDBOOK.find(({ id }) => id === "expenses#0"));
      });

      test("gives the same result twice", async () => {
        const once = await documents.search({ text: "report 经理 签字 days" }, 10);
        expect(await documents.search({ text: "report 经理 签字 days" }, 10)).toEqual(once);
      });

      test("returns at most as many as asked, the best ones", async () => {
        const all = await found("report days manager");
        expect(all.length).toBeGreaterThan(2);
        expect(await found("report days manager", 2)).toEqual(all.slice(0, 2));
      });

      test.each([0, -1, 201, 1.5, Number.NaN])("refuses a limit of %j passages", async (limit) => {
        await expect(documents.search({ text: "report" }, limit)).rejects.toThrow(UsageError);
      });

      test("leaves out excluded passages and fills their places with the next ones", async () => {
        const all = await found("report days manager");
        const [best = "", ...rest] = all;
        const without = await documents.search({ text: "report days manager", exclude: [best, "no such passage"] }, 2);
        expect(without.map(({ id }) => id)).toEqual(rest.slice(0, 2));
        expect(await documents.search({ text: "report days manager", exclude: all }, 10)).toEqual([]);
      });

      test.each(["", "   \n\t", "?!", "。！？…", "()[]{}\"'*~^:\\/+-&|", "🙂👍"])(
        "finds nothing for %j, which has no words",
        async (text) => {
          expect(await found(text)).toEqual([]);
        },
      );

      test.each([
        ['refund" OR "1"="1'],
        ["refund'); DROP TABLE passages; --"],
        ["title:refund AND (thirty~2 OR days^5) NOT [* TO *]"],
        ["+refund -thirty \\ / {!q.op=AND} *refund* ?efund refund*"],
        ["refund\u0000\u0007\u202e days"],
        ["refund \ud800 days"],
        ["refund 🙂 days ﷽ ̷̛̖"],
        [`refund ${"x".repeat(10_000)} days`],
        [`refund days ${"长".repeat(5_000)}`],
        [`refund days ${Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(" ")}`],
      ])("searches for %j as plain words, even if it looks like query syntax", async (text) => {
        expect((await found(text))[0]).toBe("refunds#0");
      });

      test("is full-text search in every mode without embeddings", async () => {
        const byWords = await documents.search({ text: "expense report", mode: "fullText" }, 10);
        expect(byWords.length).toBeGreaterThan(0);
        expect(await documents.search({ text: "expense report", mode: "vector" }, 10)).toEqual(byWords);
        expect(await documents.search({ text: "expense report", mode: "hybrid" }, 10)).toEqual(byWords);
        expect(await documents.search({ text: "expense report" }, 10)).toEqual(byWords);
      });
    });

    describe("with a filter", () => {
      each();

      const stated = (documentId: string, text: string, metadata: Record<string, string>, position = 0) =>
        fakePassage(`${documentId}#${position}`, text, { documentId, position, metadata });

      test("searches, gets and neighbours return only matching passages, in every mode", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert([
          stated("hr", "Expense report of the year. 报销", { department: "hr", tags: "a\nb, c" }),
          stated("hr", "What follows it.", { department: "it" }, 1),
          stated("it", "Expense report of the month. 报销", { department: "it", status: "draft" }),
          stated("none", "Expense report of nobody. 报销", {}),
        ]);
        await documents.embed?.();
        const ids = async (filter: Filter) => {
          const all = (["fullText", "vector", "hybrid"] as const).map(async (mode) => {
            const found = await documents.search({ text: "expense report 报销", mode, filter }, 10);
            return found.map(({ id }) => id).filter((id) => id !== "hr#1");
          });
          const [words = [], ...others] = (await Promise.all(all)).map((found) => found.sort());
          for (const other of others) expect(other).toEqual(words);
          const given = await documents.get(["hr#0", "it#0", "none#0"], { filter });
          expect(given.map(({ id }) => id)).toEqual(words);
          return words.join(" ");
        };
        const is = (key: string, ...values: string[]) => ({ key, values });
        const isNot = (key: string, ...values: string[]) => ({ key, values, not: true });
        expect(await ids([])).toBe("hr#0 it#0 none#0");
        expect(await ids([is("department", "hr")])).toBe("hr#0");
        expect(await ids([is("Department", "hr", "it")])).toBe("hr#0 it#0");
        expect(await ids([is("department", "hr", "it"), isNot("status", "draft")])).toBe("hr#0");
        expect(await ids([is("department", "hr"), is("department", "it")])).toBe("");
        expect(await ids([isNot("department", "hr")])).toBe("it#0 none#0");
        expect(await ids([is("tags", "a"), is("tags", "b, c")])).toBe("hr#0");
        expect(await ids([is("department")])).toBe("");
        expect(await ids([isNot("department")])).toBe("hr#0 it#0 none#0");
        for (const value of NO_VALUES) expect(await ids([is("department", value)])).toBe("");
        for (const key of ["", "__proto__", "constructor", "department' OR ''='", "department=hr\n"])
          expect(await ids([is(key, "hr")])).toBe("");
        expect(await documents.neighbours("hr#0", 1, { filter: [is("department", "hr")] })).toEqual([]);
        expect(await documents.neighbours("hr#0", 1, { filter: [is("department", "it")] })).toHaveLength(1);
      });

      test("finds a matching passage even if many others fit the query better", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        const others = Array.from({ length: 150 }, (_, i) =>
          stated("much", "expense report 报销", { department: i % 2 ? "it" : "" }, i),
        );
        await documents.upsert([...others, stated("one", `expense ${"word ".repeat(50)}`, { department: "hr" })]);
        await documents.embed?.();
        const filter = [{ key: "department", values: ["hr"] }];
        for (const mode of ["fullText", "vector", "hybrid"] as const)
          expect(await documents.search({ text: "expense report 报销", mode, filter }, 3)).toMatchObject([
            { id: "one#0" },
          ]);
      });
    });

    describe("with embeddings", () => {
      once(async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(HANDBOOK);
        await documents.embed?.();
      });

      test.each([
        ["vacation", "holiday#0"],
        ["旅游", "holiday-zh#0"],
      ])("finds by meaning a passage without the word %j", async (word, id) => {
        const ids = async (mode: "fullText" | "vector" | "hybrid") =>
          (await documents.search({ text: word, mode }, 2)).map((passage) => passage.id);
        expect(await ids("fullText")).toEqual([]);
        expect(await ids("vector")).toContain(id);
        expect(await ids("hybrid")).toContain(id);
      });

      test("ranks passages first that both words and meaning find", async () => {
        const results = await documents.search({ text: "holiday manager" }, 10);
        const scores = results.map(({ score }) => score);
        expect(results[0]?.id).toBe("holiday#0");
        expect(results.map(({ id }) => id)).toContain("expenses#0");
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
      });

      test.each(["vector", "hybrid"] as const)("finds nothing by %s for a query without words", async (mode) => {
        expect(await documents.search({ text: "?! …", mode }, 10)).toEqual([]);
      });

      test.each(["vector", "hybrid"] as const)("leaves out excluded passages in a search by %s", async (mode) => {
        const all = await documents.search({ text: "holiday", mode }, 10);
        const exclude = all.slice(0, 1).map(({ id }) => id);
        const rest = await documents.search({ text: "holiday", mode, exclude }, 10);
        expect(rest.map(({ id }) => id)).not.toContain(exclude[0]);
        expect(rest[0]?.id).toBe(all[1]?.id);
      });
    });

    describe("embedding", () => {
      each();

      const byMeaning = async (one: Documents) =>
        (await one.search({ text: "vacation" }, 5)).map(({ id }) => id).includes("holiday#0");
      /** Embeddings that record the texts they are asked for and may fail after `batches` batches. */
      const watched = (identity = "concepts", batches = Number.POSITIVE_INFINITY) => {
        const asked: string[] = [];
        let left = batches;
        const embeddings: Embeddings = {
          identity,
          embed: async (texts, options) => {
            if (options.as === "passage" && left-- <= 0) throw new Error("endpoint down");
            if (options.as === "passage") asked.push(...texts);
            // An index of neighbours works badly with a hundred equal vectors.
            return (await conceptEmbeddings.embed(texts, options)).map((vector, i) => apart(vector, texts[i] ?? ""));
          },
        };
        return { asked, embeddings };
      };
      const untitled = (texts: readonly string[]) => pagesOf("guide", texts).map((one) => ({ ...one, title: "" }));
      const many = () => [
        ...HANDBOOK,
        ...pagesOf(
          "many",
          Array.from({ length: 150 }, (_, i) => `chapter ${i}`),
        ),
      ];

      test("does nothing if the store is empty or no model is set", async () => {
        await open({ embeddings: conceptEmbeddings }).embed?.();
        expect(await documents.list()).toEqual([]);
        await documents.upsert(HANDBOOK);
        await documents.embed?.();
        expect(await byMeaning(open({ embeddings: conceptEmbeddings }))).toBe(false);
      });

      test("reports which passages have a vector of the current model", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(HANDBOOK);
        expect(await documents.embedded?.(["holiday#0"])).toEqual([]);
        await documents.embed?.();
        await documents.upsert([fakePassage("late#0", "Written later.", { documentId: "late" })]);
        const asked = ["refunds#0", "late#0", "nowhere#0", "holiday#0"];
        expect(await documents.embedded?.(asked)).toEqual(["refunds#0", "holiday#0"]);
        expect(await documents.embedded?.([])).toEqual([]);
        expect(await open().embedded?.(asked)).toEqual([]);
      });

      test("counts what is stored by language and by model", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        const nothing = { languages: { en: 0, zh: 0, other: 0 }, embedded: 0, embeddedByOthers: 0, writtenAt: "" };
        expect(await documents.describe?.()).toEqual(nothing);
        await documents.upsert(HANDBOOK);
        const zh = HANDBOOK.filter(({ language }) => language === "zh").length;
        const languages = { en: HANDBOOK.length - zh, zh, other: 0 };
        expect(await documents.describe?.()).toMatchObject({ languages, embedded: 0, embeddedByOthers: 0 });
        await documents.embed?.();
        await documents.upsert([
          fakePassage("late#0", "Später geschrieben.", { documentId: "late", language: "other" }),
        ]);
        const later = { languages: { ...languages, other: 1 }, embedded: HANDBOOK.length, embeddedByOthers: 0 };
        expect(await documents.describe?.()).toMatchObject(later);
      });

      test("happens after writing, and a written passage is found by words at once", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(HANDBOOK);
        expect(await byMeaning(documents)).toBe(false);
        expect((await found("refund within thirty days"))[0]).toBe("refunds#0");
        await documents.embed?.();
        expect(await byMeaning(documents)).toBe(true);
      });

      test("reports progress as done and total", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(many());
        const told: [number, number][] = [];
        await documents.embed?.({ onProgress: (done, total) => told.push([done, total]) });
        expect(told[0]).toEqual([0, 162]);
        expect(told.at(-1)).toEqual([162, 162]);
      });

      test("embeds no text again that the document already had, even if it moved", async () => {
        const { asked, embeddings } = watched();
        documents = open({ embeddings });
        await documents.upsert(untitled(["holiday rules", "badge rules"]));
        await documents.embed?.();
        asked.length = 0;
        await documents.upsert(untitled(["a new beginning", "holiday rules", "badge rules"]));
        await documents.embed?.();
        await documents.embed?.();
        expect(asked).toEqual(["a new beginning"]);
        expect((await documents.search({ text: "vacation" }, 1))[0]?.id).toBe("guide#1");
      });

      test("that fails halfway keeps its vectors and continues from there", async () => {
        const failing = watched("concepts", 1);
        documents = open({ embeddings: failing.embeddings });
        await documents.upsert(many());
        await documents.embed?.().catch((error: Error) => expect(error.message).toBe("endpoint down"));
        const byWords = await documents.search({ text: "chapter 140", mode: "fullText" }, 1);
        expect(byWords[0]?.id).toBe("many#140");
        const next = watched();
        documents = open({ embeddings: next.embeddings });
        await documents.embed?.();
        expect(new Set([...failing.asked, ...next.asked]).size).toBe(162);
        expect(failing.asked.filter((text) => next.asked.includes(text))).toEqual([]);
        expect(await byMeaning(documents)).toBe(true);
      });

      test("stops when aborted", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(HANDBOOK);
        const signal = AbortSignal.abort(new Error("the user left"));
        await expect(documents.embed?.({ signal })).rejects.toThrow("the user left");
      });

      test("of some passages leaves the others to be found by words", async () => {
        documents = open({ embeddings: conceptEmbeddings });
        await documents.upsert(HANDBOOK);
        await documents.embed?.();
        await documents.upsert(pagesOf("late", ["The canteen serves lunch until two."]));
        expect((await found("When does the canteen serve lunch?"))[0]).toBe("late#0");
        expect(await byMeaning(documents)).toBe(true);
      });

      test("keeps existing vectors when a program without a model writes", async () => {
        const { asked, embeddings } = watched();
        await open({ embeddings }).upsert(HANDBOOK);
        await open({ embeddings }).embed?.();
        await open().upsert([...HANDBOOK.slice(0, 3), ...pagesOf("late", ["a late page"])]);
        asked.length = 0;
        await open({ embeddings }).embed?.();
        expect(asked).toHaveLength(1);
        expect(await byMeaning(open({ embeddings }))).toBe(true);
      });
    });

    describe("writing", () => {
      each();

      test("replaces a whole document, including added and removed passages, and no other document", async () => {
        await documents.upsert([
          ...pagesOf("guide", ["old one", "old two", "old three"]),
          ...pagesOf("other", ["old"]),
        ]);
        await documents.upsert(pagesOf("guide", ["new one", "old two"]));
        expect(await documents.get(["guide#0", "guide#1", "guide#2", "other#0"])).toMatchObject([
          { text: "new one" },
          { text: "old two" },
          { text: "old" },
        ]);
        expect((await found("three")).length).toBe(0);
        expect((await found("old")).toSorted()).toEqual(["guide#1", "other#0"]);
      });

      test("leaves a search its full number of passages even if many are excluded", async () => {
        await documents.upsert(
          pagesOf(
            "long",
            Array.from({ length: 90 }, (_, i) => `chapter ${i} 第${i}章`),
          ),
        );
        const exclude = Array.from({ length: 70 }, (_, i) => `long#${i}`);
        const rest = await documents.search({ text: "chapter 章", exclude }, 15);
        expect(rest).toHaveLength(15);
        expect(rest.every(({ position }) => position >= 70)).toBe(true);
      });

      test("is visible to searches at once, and replaced passages are no longer found", async () => {
        for (const word of ["alpha", "beta", "伽马"]) {
          await documents.upsert(pagesOf("page", [`the word is ${word}`]));
          expect(await found(word)).toEqual(["page#0"]);
        }
        expect(await found("alpha beta")).toEqual([]);
      });

      test("lists each document with its hash and its number of passages", async () => {
        await documents.upsert([...pagesOf("b", ["1", "2"], "hash b"), ...pagesOf("a", ["3"], "hash a")]);
        await documents.upsert(pagesOf("b", ["1"], "hash b2"));
        expect((await documents.list()).toSorted((x, y) => x.documentId.localeCompare(y.documentId))).toEqual([
          { documentId: "a", hash: "hash a", passages: 1 },
          { documentId: "b", hash: "hash b2", passages: 1 },
        ]);
      });

      test("removes whole documents, returns how many passages were removed, and ignores unknown documents", async () => {
        await documents.upsert([...pagesOf("a", ["apple", "apple pie"]), ...pagesOf("b", ["apple juice"])]);
        expect(await documents.remove(["a", "unknown", "a"])).toBe(2);
        expect(await documents.remove(["a"])).toBe(0);
        expect(await found("apple")).toEqual(["b#0"]);
        expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["b"]);
      });

      test("keeps every character of a text", async () => {
        const text =
          "first line\r\n\tsecond $& $1 \\n 'quoted' \"twice\" \u0000 | 表格 ｆｕｌｌ 🙂👩‍👩‍👧 e\u0301 \u200b end ";
        await documents.upsert([{ ...fakePassage("odd", text), title: text, section: text, uri: text, hash: text }]);
        expect(await documents.get(["odd"])).toMatchObject([
          { text, title: text, section: text, uri: text, hash: text },
        ]);
      });

      test.each([
        "it's/a 'quoted' path.md",
        "' OR '1'='1",
        'say "hello".md',
        "back\\slash\\'.md",
        "文档/产品 手册（新）.md",
        "line\nbreak\ttab.md",
        "per%cent_under.md",
        "https://example.com/a?b=c&d=e#f",
        "-- ; /* */ {} $where `x` \u0000",
        "🙂.md",
      ])("handles a document named %j in every operation", async (name) => {
        await documents.upsert([
          ...pagesOf("plain", ["needle elsewhere"]),
          ...pagesOf(name, ["needle one", "needle two"]),
        ]);
        expect(await documents.get([`${name}#1`])).toMatchObject([{ documentId: name, text: "needle two" }]);
        expect((await documents.neighbours(`${name}#0`)).map(({ text }) => text)).toEqual(["needle two"]);
        const rest = await documents.search({ text: "needle", exclude: [`${name}#0`] }, 10);
        expect(rest.map(({ id }) => id).toSorted()).toEqual([`${name}#1`, "plain#0"].toSorted());
        expect(await documents.list()).toContainEqual({ documentId: name, hash: "", passages: 2 });
        expect(await documents.remove([name])).toBe(2);
        expect(await found("needle")).toEqual(["plain#0"]);
      });
    });

    describe("listing documents that may not always be valid", () => {
      each();

      test("returns documents with dates, documents that those supersede, and documents named like a version", async () => {
        const stated = (documentId: string, metadata: Record<string, string> = {}, position = 0) =>
          fakePassage(`${documentId}#${position}`, "Words.", { documentId, position, title: "Policy", metadata });
        await documents.upsert([
          stated("new/travel.md", { supersedes: "../old/it's 50%.md\n旧制度.md", department: "hr" }),
          stated("new/travel.md", { supersedes: "../old/it's 50%.md\n旧制度.md", department: "hr" }, 1),
          stated("old/it's 50%.md"),
          stated("报销/旧制度.md"),
          stated("leave.md", { valid_from: "2024-03-01" }),
          stated("handbook-v2.md"),
          stated("差旅政策2024年.md"),
          stated("canteen.md", { department: "hr" }),
        ]);
        const heads = (await documents.heads?.()) ?? [];
        const wanted = [
          "handbook-v2.md",
          "leave.md",
          "new/travel.md",
          "old/it's 50%.md",
          "差旅政策2024年.md",
          "报销/旧制度.md",
        ];
        const ids = heads.map(({ documentId }) => documentId).filter((id) => id !== "canteen.md");
        expect(ids.sort()).toEqual(documents.heads ? wanted : []);
        const leave = heads.find(({ documentId }) => documentId === "leave.md");
        if (leave) expect(leave).toMatchObject({ title: "Policy", metadata: { valid_from: "2024-03-01" } });
      });
    });

    describe("reading passages", () => {
      once(() => documents.upsert([...pagesOf("a", ["0", "1", "2", "3", "4"]), ...pagesOf("b", ["0", "1"])]));
      const neighbours = async (id: string, distance?: number) =>
        (await documents.neighbours(id, distance)).map((passage) => passage.id);

      test("returns passages in the requested order and leaves out unknown ones", async () => {
        const got = await documents.get(["b#1", "a#3", "nothing", "a#0"]);
        expect(got.map(({ id }) => id)).toEqual(["b#1", "a#3", "a#0"]);
      });

      test("returns the neighbours of a passage in order, without itself and never from another document", async () => {
        expect(await neighbours("a#2")).toEqual(["a#1", "a#3"]);
        expect(await neighbours("a#2", 2)).toEqual(["a#0", "a#1", "a#3", "a#4"]);
        expect(await neighbours("a#0")).toEqual(["a#1"]);
        expect(await neighbours("b#1", 10)).toEqual(["b#0"]);
        expect(await neighbours("nothing")).toEqual([]);
      });
    });

    describe("with several instances", () => {
      each();

      test("shows what another instance wrote, without being reopened", async () => {
        const other = open();
        await documents.upsert(pagesOf("a", ["first"]));
        expect((await other.search({ text: "first" }, 10)).map(({ id }) => id)).toEqual(["a#0"]);
        await documents.upsert(pagesOf("a", ["second"]));
        expect(await other.search({ text: "first" }, 10)).toEqual([]);
        expect(await other.get(["a#0"])).toMatchObject([{ text: "second" }]);
      });

      test("keeps what was written after closing and reopening", async () => {
        await documents.upsert(pagesOf("a", ["lasting", "持久"]));
        await documents.close();
        documents = open();
        expect(await found("lasting 持久")).toHaveLength(2);
        expect(await documents.list()).toEqual([{ documentId: "a", hash: "", passages: 2 }]);
      });

      test.each([["words alone", undefined] as const, ["words and vectors", conceptEmbeddings] as const])(
        "a search by %s during a write sees the old or the new, never a mix",
        { timeout: 60_000 },
        async (_, embeddings) => {
          const writer = open(embeddings && { embeddings });
          const reader = open(embeddings && { embeddings });
          const edition = (n: number) => pagesOf("book", Array(6).fill(`holiday rules, edition ${n} 版本`), `${n}`);
          await writer.upsert(edition(0));
          await writer.embed?.();
          let isWriting = true;
          const write = async () => {
            for (let n = 1; n <= 8; n++) {
              await writer.upsert(edition(n));
              await writer.embed?.();
            }
            isWriting = false;
          };
          const read = async () => {
            const seen: string[] = [];
            while (isWriting) {
              const results = await reader.search({ text: "holiday rules 版本" }, 20);
              expect(results).toHaveLength(6);
              seen.push([...new Set(results.map(({ hash }) => hash))].join("+"));
            }
            return seen;
          };
          const [, ...readings] = await Promise.all([write(), read(), read()]);
          for (const seen of readings) {
            expect(seen.filter((editions) => editions.includes("+"))).toEqual([]);
            expect(seen.map(Number)).toEqual(seen.map(Number).toSorted((a, b) => a - b));
          }
        },
      );

      test("stores all concurrent writes, and never mixes two versions of a document", async () => {
        const writers = [documents, open()];
        await Promise.all(
          Array.from({ length: 8 }, async (_, n) => {
            const own = pagesOf(`own ${n}`, ["a", "b"]);
            const shared = pagesOf("shared", Array(n + 1).fill(`by ${n}`), `${n}`);
            await writers[n % 2]?.upsert([...own, ...shared]);
          }),
        );
        const listed = await documents.list();
        expect(listed.filter(({ documentId }) => documentId.startsWith("own"))).toHaveLength(8);
        const shared = listed.find(({ documentId }) => documentId === "shared");
        expect(shared?.passages).toBe(Number(shared?.hash) + 1);
      });
    });

    describe("with an aborted signal", () => {
      each();

      const stopped = () => AbortSignal.abort(new Error("the user left"));

      test("a write throws the reason and writes nothing", async () => {
        await documents.upsert(pagesOf("a", ["before"]));
        await expect(documents.upsert(pagesOf("a", ["after"]), { signal: stopped() })).rejects.toThrow("the user left");
        expect(await documents.get(["a#0"])).toMatchObject([{ text: "before" }]);
      });

      test("a search throws the reason", async () => {
        await documents.upsert(pagesOf("a", ["before"]));
        await expect(documents.search({ text: "before" }, 5, { signal: stopped() })).rejects.toThrow("the user left");
      });
    });
  });
}

/** The passages of one document. */
const pagesOf = (documentId: string, texts: readonly string[], hash = "") =>
  texts.map((text, position) => fakePassage(`${documentId}#${position}`, text, { documentId, position, hash }));

const HANDBOOK = [
  ["refunds", "A customer may ask for a refund within thirty days of the purchase."],
  ["expenses", "The manager signs the expense report, and finance pays it within five days."],
  ["holiday", "Holiday is agreed with the manager and entered into the calendar."],
  ["security", "Lost badges are reported to the front desk on the same day."],
  ["refunds-zh", "顾客自购买之日起七天内可以退货，运费由公司承担。"],
  ["expenses-zh", "报销单由部门经理签字，财务在五个工作日内付款。"],
  ["holiday-zh", "休假须与经理商定，并记入日历。"],
  ["cluster-zh", "生产环境运行在三个 Kubernetes 集群上，由平台组维护。"],
  ["title-only", "Two weeks for every full year.", "Severance"],
  ["title-only-zh", "每满一年支付两周。", "遣散费"],
  ["section-only", "Listed below.", "", "Handbook › Appendix"],
  ["section-only-zh", "列于下方。", "", "手册 › 附录"],
].map(([documentId = "", text = "", title = documentId.split("-")[0], section = ""]) =>
  fakePassage(`${documentId}#0`, text, {
    documentId,
    title: title || "page",
    section,
    language: documentId.endsWith("-zh") ? "zh" : "en",
    uri: `handbook/${documentId}.md`,
    reviewedAt: "2026-01-31",
    hash: `hash of ${documentId}`,
    metadata: { department: "hr", author: 'O\'Neil, "陈=晨"', tags: "a, b\nc" },
  }),
);

/** Values that match no department, even if they look like query syntax. */
const NO_VALUES = [
  "",
  "HR",
  "hr ",
  "ｈｒ",
  "hr\0",
  "h",
  "%",
  "*",
  "hr\nit",
  "hr' OR '1'='1",
  "hr'] ) OR true --",
  "x'), ('hr",
  "\\' OR 1=1 //",
  "$filter",
  "\ud800",
];

const CONCEPTS = [
  /holiday|vacation|休假|旅游/i,
  /expense|reimburse|报销/i,
  /refund|money back|退货|退款/i,
  /badge|工牌/i,
];

/** Vectors of four concepts, so that tests know which texts are similar. */
export const conceptEmbeddings: Embeddings = {
  identity: "concepts",
  embed: async (texts, { signal }) => {
    signal?.throwIfAborted();
    return texts.map((text) => {
      const about = [...CONCEPTS.map((concept) => (concept.test(text) ? 1 : 0)), 0.1];
      const length = Math.hypot(...about);
      return about.map((x) => x / length);
    });
  },
};

/** Turns the vector of each chapter into a different direction. */
function apart(vector: number[], text: string): number[] {
  const chapter = Number(/chapter (\d+)/.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(chapter)) return vector;
  const moved = vector.map((x, i) => x + Math.sin((chapter + 1) * (i + 1)));
  const length = Math.hypot(...moved);
  return moved.map((x) => x / length);
}
