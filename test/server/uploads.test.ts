import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { User } from "../../src/graph/scope.js";
import { UPLOADS_FOLDER } from "../../src/ingest/find.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { ServerOptions } from "../../src/server/app.js";
import { inMemoryKnowledge } from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Listed } from "../../src/tools/uploads/port.js";
import { sqlUploads } from "../../src/tools/uploads/sql.js";
import { pdf } from "../tools/web/pdfs.js";
import { listening, raw } from "./listening.js";

const ASKER = "token-of-one-who-asks";
const UPLOADER = "token-of-one-who-uploads";
const OPERATOR = "token-of-an-operator";
const HR = "token-of-human-resources";
const FINANCE = "token-of-the-finance-team";
const BOTH = "token-of-their-manager";
const READER = "token-of-a-reader-in-hr";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "emend-uploads-"));
  folders.push(folder);
  return folder;
}

/** A server over a store of its own that takes uploads. */
async function taking(
  given: Partial<ServerOptions> & {
    folder?: string;
    keep?: boolean;
    wrapped?: (documents: Documents) => Documents;
  } = {},
) {
  const { folder = newFolder(), keep = false, wrapped = (it) => it, ...options } = given;
  const database = openDatabase(join(folder, "store"));
  const documents = sqlDocuments(openDatabase(join(folder, "store")));
  // Facts are kept with their documents, not in the store that all test files share.
  const knowledge = inMemoryKnowledge();
  const server = await listening({
    tools: { documents: wrapped(documents), knowledge },
    uploads: { database, folder, keep },
    ...options,
  });
  afterAll(async () => {
    await server.drain(0);
    await database.close();
  });
  const bearer = (token: string) => (token ? { Authorization: `Bearer ${token}` } : {});
  const call = (path: string, { token = "", ...init }: RequestInit & { token?: string } = {}) =>
    fetch(server.address + path, { ...init, headers: { ...bearer(token), ...init.headers } });
  const send = (files: Record<string, string | Uint8Array> | FormData, fields = {}, token = "") =>
    call("/api/documents", { method: "POST", body: formOf(files, fields), token });
  const sent = async (...args: Parameters<typeof send>) =>
    ((await (await send(...args)).json()) as { documents: Listed[] }).documents;
  const list = async (token = "") =>
    ((await (await call("/api/documents", { token })).json()) as { documents: Listed[] }).documents;
  /** Waits until nothing waits to be read, and returns the list. */
  const settled = async (token = "") => {
    for (;;) {
      const all = await list(token);
      if (all.every(({ state }) => state === "ready" || state === "failed")) return all;
      await sleep(20);
    }
  };
  const ask = async (question: string, token = "") => {
    const reply = await server.post("/api/ask", { question }, bearer(token));
    return (await reply.json()) as { status: string; text: string };
  };
  const about = (id: string, token = "") => call(`/api/documents/${encodeURIComponent(id)}`, { token });
  const remove = (id: string, token = "") =>
    call(`/api/documents/${encodeURIComponent(id)}`, { method: "DELETE", token });
  const files = () => (existsSync(join(folder, UPLOADS_FOLDER)) ? readdirSync(join(folder, UPLOADS_FOLDER)) : []);
  return { ...server, folder, database, documents, call, send, sent, list, settled, ask, about, remove, files };
}

function formOf(files: Record<string, string | Uint8Array> | FormData, fields: object): FormData {
  if (files instanceof FormData) return files;
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  for (const [name, content] of Object.entries(files))
    form.append("files", new Blob([typeof content === "string" ? content : Uint8Array.from(content)]), name);
  return form;
}

const LEAVE = "# Leave\n\nFull-time staff have 28 days of paid leave.\n";
const PARKING = "# Parking\n\nGuests park behind the harbour gate.\n";

/** A server to which nothing is sent that it takes, and one that keeps all files. */
const strict = await taking();
const keeping = await taking({ keep: true });

/** The users of a server whose documents belong to departments. */
const SCOPES: Record<string, Partial<User>> = {
  [HR]: { emend_scope: [{ key: "department", values: ["hr"] }], emend_may_upload: true },
  [FINANCE]: { emend_scope: [{ key: "department", values: ["finance"] }], emend_may_upload: true },
  [BOTH]: { emend_scope: [{ key: "department", values: ["hr", "finance"] }], emend_may_upload: true },
  [READER]: { emend_scope: [{ key: "department", values: ["hr"] }] },
  [OPERATOR]: { emend_scope: "all" },
};
const departments = {
  tokens: [HR, FINANCE, BOTH, READER],
  operatorTokens: [OPERATOR],
  userOf: (token: string) => ({ identity: token, ...SCOPES[token] }) as User,
};

describe("a file that is sent", () => {
  test("waits, is read, and then answers questions", async () => {
    const server = await taking();
    const reply = await server.send({ "leave.md": LEAVE });
    expect(reply.status).toBe(202);
    const { documents } = (await reply.json()) as { documents: Listed[] };
    expect(documents).toMatchObject([{ id: "upload:leave.md", title: "leave.md", state: "waiting", uploaded: true }]);
    expect(await server.settled()).toMatchObject([
      { id: "upload:leave.md", title: "Leave", state: "ready", reason: "", passages: 1, bytes: LEAVE.length },
    ]);
    expect((await server.ask("How many days of paid leave do full-time staff have?")).text).toContain("28 days");
    expect(await (await server.about("upload:leave.md")).json()).toMatchObject({ title: "Leave", state: "ready" });
  });

  test("is deleted from disk once it was read, unless files are kept", async () => {
    const server = await taking();
    await server.send({ "leave.md": LEAVE, "broken.pdf": "This is no PDF." });
    await server.settled();
    expect(server.files()).toEqual([]);
  });

  test("is listed as failed with the reason, if it cannot be read", async () => {
    const server = await taking();
    await server.send({ "broken.pdf": "This is no PDF.", "empty.md": "" });
    const all = await server.settled();
    expect(all.map(({ title, state }) => [title, state])).toEqual([
      ["empty.md", "failed"],
      ["broken.pdf", "failed"],
    ]);
    expect(all.map(({ reason }) => reason)).toEqual([
      "There is no text in it.",
      "Its content is not PDF, despite its name, or it is damaged.",
    ]);
    expect(await server.documents.list()).toEqual([]);
  });

  test("can be sent again after it failed, under the same name", async () => {
    const server = await taking();
    await server.send({ "leave.md": "" });
    await server.settled();
    await server.send({ "leave.md": LEAVE });
    expect(await server.settled()).toMatchObject([{ id: "upload:leave.md", state: "ready" }]);
  });

  test("is refused with the others of its form if its kind is not read, and alone if others are read", async () => {
    const server = await taking();
    const alone = await server.send({ "setup.exe": "MZ" });
    expect(alone.status).toBe(400);
    expect(await alone.json()).toMatchObject({ error: expect.stringMatching(/^setup\.exe: This kind of file is not/) });
    const both = await server.send({ "setup.exe": "MZ", "leave.md": LEAVE });
    expect(both.status).toBe(202);
    expect(await both.json()).toMatchObject({ documents: [{ state: "failed" }, { state: "waiting" }] });
    expect(await server.settled()).toHaveLength(1);
  });

  test("with the same name and content as one before changes nothing", async () => {
    const server = await taking();
    await server.send({ "leave.md": LEAVE });
    await server.settled();
    expect(await server.sent({ "leave.md": LEAVE })).toMatchObject([{ id: "upload:leave.md", state: "ready" }]);
    expect(await server.settled()).toHaveLength(1);
  });

  test("with the name of another one is kept beside it, in the same form and later", async () => {
    const server = await taking();
    const form = new FormData();
    form.append("files", new Blob([LEAVE]), "report.md");
    form.append("files", new Blob([PARKING]), "report.md");
    expect((await server.sent(form)).map(({ id }) => id)).toEqual(["upload:report.md", "upload:report (2).md"]);
    await server.settled();
    await server.send({ "report.md": "A third one." });
    const all = await server.settled();
    expect(all.map(({ id }) => id).sort()).toEqual([
      "upload:report (2).md",
      "upload:report (3).md",
      "upload:report.md",
    ]);
    expect(all.map(({ title }) => title).sort()).toEqual(["Leave", "Parking", "report (3)"]);
  });

  test("replaces the document that it names, which stays until the new one is read", async () => {
    const server = await taking();
    const id = "handbook";
    expect(await server.sent({ "leave.md": LEAVE }, { id })).toMatchObject([{ id: "upload:handbook" }]);
    await server.settled();
    await server.send({ "broken.pdf": "This is no PDF." }, { id: "upload:handbook" });
    expect(await server.settled()).toMatchObject([{ id: "upload:handbook", state: "failed", passages: 1 }]);
    await server.send({ "parking.md": PARKING }, { id });
    expect(await server.settled()).toMatchObject([{ id: "upload:handbook", state: "ready", title: "Parking" }]);
    expect((await server.documents.list()).length).toBe(1);
  });

  test("states what the client says in place of what it says itself", async () => {
    const server = await taking();
    const content = `---\ndepartment: sales\nauthor: Ana\n---\n\n${LEAVE}`;
    await server.send({ "leave.md": content }, { metadata: { department: "hr", tags: ["leave", "pay"] } });
    await server.settled();
    const [passage] = await server.documents.get(["upload:leave.md#0"]);
    expect(passage?.metadata).toEqual({ author: "Ana", department: "hr", tags: "leave\npay" });
  });

  test.each([
    ["an unknown field", { owner: "me" }, /owner/],
    ["metadata that is no JSON", { metadata: "{" }, /metadata is not JSON/],
    ["metadata that would be left out", { metadata: { "7": "x" } }, /cannot be stored/],
    ["a value that is too long", { metadata: { note: "x".repeat(501) } }, /cannot be stored/],
    ["a nested value", { metadata: { note: { a: 1 } } }, /cannot be stored/],
    ["a scope without values", { scope: [{ key: "department", values: [] }] }, /scope/],
    ["a scope that leaves out values", { scope: [{ key: "department", values: ["hr"], not: true }] }, /not/],
    ["an id with control characters", { id: "a\u0007b" }, /id/],
    ["an id of 201 characters", { id: "x".repeat(201) }, /id/],
  ])("is refused with %s, and leaves nothing behind", async (_, fields, said) => {
    const reply = await strict.send({ "leave.md": LEAVE }, fields);
    expect(reply.status).toBe(400);
    expect(((await reply.json()) as { error: string }).error).toMatch(said);
    expect([await strict.list(), strict.files()]).toEqual([[], []]);
  });
});

describe("the name of a file", () => {
  test.each([
    ["../../etc/passwd.md", "upload:passwd.md"],
    ["..\\..\\windows\\leave.md", "upload:leave.md"],
    ["/abs/leave.md", "upload:leave.md"],
    ["CON.md", "upload:CON.md"],
    ["a\u0000b\u001b[31m\u202egnp.md", "upload:a b [31mgnp.md"],
    ["  ..leave.md. . ", "upload:leave.md"],
    [`${"长".repeat(300)}.md`, `upload:${"长".repeat(147)}.md`],
    ["C# notes #1?.md", "upload:C# notes #1?.md"],
    ["员工手册.md", "upload:员工手册.md"],
  ])("%j becomes a document's id and never a path", async (name, id) => {
    const form = new FormData();
    form.append("files", new Blob([`# ${id}\n\nThe name is harmless.`]), name);
    expect(await keeping.sent(form)).toMatchObject([{ id }]);
    await keeping.settled();
    expect(keeping.files().every((file) => /^[0-9a-f-]{36}\.md$/.test(file))).toBe(true);
    expect(readdirSync(keeping.folder).sort()).toEqual([UPLOADS_FOLDER, "store"].sort());
    expect((await keeping.call(`/api/originals/${encodeURIComponent(id)}`)).status).toBe(200);
  });

  test.each(["", "...", "/"])("%j is refused", async (name) => {
    const boundary = "frontier";
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\nContent-Type: text/markdown\r\n\r\nx\r\n--${boundary}--\r\n`;
    const headers = { "Content-Type": `multipart/form-data; boundary=${boundary}` };
    const reply = await keeping.call("/api/documents", { method: "POST", body: part, headers });
    expect(reply.status).toBe(400);
  });
});

describe("a form", () => {
  const headers = { "Content-Type": "multipart/form-data; boundary=b" };

  test.each<[string, string, Record<string, string>, number]>([
    ["that is JSON", "{}", { "Content-Type": "application/json" }, 415],
    ["without a boundary", "x", { "Content-Type": "multipart/form-data" }, 400],
    ["that ends early", '--b\r\nContent-Disposition: form-data; name="f"; filename="a.md"\r\n\r\nhalf', headers, 400],
    ["without a file", '--b\r\nContent-Disposition: form-data; name="id"\r\n\r\nx\r\n--b--\r\n', headers, 400],
    ["with two files and an id", twoFilesWithId(), headers, 400],
    ["with 101 files", manyFiles(101), headers, 413],
    [
      "with a field of 65 kB",
      `--b\r\nContent-Disposition: form-data; name="id"\r\n\r\n${"x".repeat(65_600)}\r\n--b--\r\n`,
      headers,
      413,
    ],
  ])("%s is refused, and leaves nothing behind", async (_, body, head, status) => {
    const reply = await strict.call("/api/documents", { method: "POST", body, headers: head });
    expect([reply.status, await strict.list(), strict.files()]).toEqual([status, [], []]);
  });

  test("with a file of more than 20 MB is taken without that file", async () => {
    const server = await taking();
    const form = new FormData();
    form.append("files", new Blob([new Uint8Array(20 * 1024 * 1024 + 1)]), "large.md");
    form.append("files", new Blob([LEAVE]), "leave.md");
    expect(await server.sent(form)).toMatchObject([
      { title: "large.md", state: "failed", reason: expect.stringMatching(/^Larger than 20 MB/) },
      { state: "waiting" },
    ]);
    await server.settled();
    expect(server.files()).toEqual([]);
  });

  test("whose client leaves is not taken, and leaves nothing behind", async () => {
    const server = await taking();
    const part = '--b\r\nContent-Disposition: form-data; name="f"; filename="a.md"\r\n\r\n';
    const head = [
      "POST /api/documents HTTP/1.1",
      `Host: 127.0.0.1:${server.port}`,
      `Content-Type: ${headers["Content-Type"]}`,
      "Content-Length: 100000",
      "",
      "",
    ].join("\r\n");
    const sending = raw(server.port, [head + part + "x".repeat(5_000)], 0);
    const arrived = async (is: boolean) => {
      while (server.files().length > 0 !== is) await sleep(10);
    };
    await arrived(true);
    // `raw` ends after three seconds without a reply.
    await sending;
    await arrived(false);
    expect(await server.list()).toEqual([]);
  });
});

function twoFilesWithId(): string {
  const file = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\nText of ${name}.\r\n`;
  return `${file("a.md")}${file("b.md")}--b\r\nContent-Disposition: form-data; name="id"\r\n\r\nx\r\n--b--\r\n`;
}
function manyFiles(count: number): string {
  const file = (i: number) => `--b\r\nContent-Disposition: form-data; name="f"; filename="${i}.md"\r\n\r\nText.\r\n`;
  return `${Array.from({ length: count }, (_, i) => file(i)).join("")}--b--\r\n`;
}

describe("the right to upload", () => {
  const UPLOADS = { tokens: [ASKER], uploadTokens: [UPLOADER], operatorTokens: [OPERATOR] };
  test.each<[string, Partial<ServerOptions>, string, boolean]>([
    ["this machine's user has, without tokens", {}, "", true],
    ["a token has not", { tokens: [ASKER] }, ASKER, false],
    ["a token has not, if others upload", UPLOADS, ASKER, false],
    ["a token that gives it has", UPLOADS, UPLOADER, true],
    ["a token that gives it has, also if it is among all tokens", { ...UPLOADS, tokens: [UPLOADER] }, UPLOADER, true],
    ["an operator has", UPLOADS, OPERATOR, true],
    ["nobody without a token has", UPLOADS, "", false],
    ["a user has not, if the user's word is no boolean", saying("yes"), ASKER, false],
    ["a user has, if the program says so", saying(true), ASKER, true],
    ["nobody has, if the server takes none", { uploads: undefined } as unknown as Partial<ServerOptions>, "", false],
  ])("%s", async (_, options, token, may) => {
    const server = await taking(options);
    const refused = token === "" && options.tokens ? 401 : 403;
    expect((await server.send({ "leave.md": LEAVE }, {}, token)).status).toBe(may ? 202 : refused);
    expect((await server.call("/api/documents", { token })).status).toBe(may ? 200 : refused);
    expect((await server.about("upload:leave.md", token)).status).toBe(may ? 200 : refused);
    expect((await server.remove("upload:leave.md", token)).status).toBe(may ? 200 : refused);
    const rights = (await (await server.call("/api/rights", { token })).json()) as { upload?: object | null };
    expect(Boolean(rights.upload)).toBe(may);
  });

  function saying(may: unknown): Partial<ServerOptions> {
    const user = { identity: "ana", emend_scope: "all", emend_may_upload: may } as User;
    return { tokens: [ASKER], userOf: () => user };
  }

  test("a user has whom another server let in, and nobody else there has", async () => {
    const may = { identity: "ana", emend_scope: "all" as const, emend_may_upload: true };
    for (const [user, status] of [
      [may, 202],
      [{ ...may, emend_may_upload: false }, 403],
    ] as const) {
      const server = await taking({ userIn: () => user });
      expect((await server.send({ "leave.md": LEAVE })).status).toBe(status);
    }
  });

  test("tokens that give it see no questions of others", async () => {
    const server = await taking({ uploadTokens: [UPLOADER] });
    expect((await server.call("/api/quality", { token: UPLOADER })).status).toBe(404);
    expect((await server.call("/api/documents")).status).toBe(401);
  });
});

describe("a page of another site cannot upload:", () => {
  const CROSS = { Origin: "https://evil.example.org", "Sec-Fetch-Site": "cross-site" };
  test.each<[string, Record<string, string>, number]>([
    ["another origin", CROSS, 403],
    ["an origin that is hidden", { Origin: "null" }, 403],
    ["a form without an origin", { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" }, 403],
    ["another port", { Origin: "http://127.0.0.1:1", "Sec-Fetch-Site": "same-site" }, 403],
    ["its own page can", { "Sec-Fetch-Site": "same-origin" }, 202],
    ["a program can", {}, 202],
  ])("%s", async (_, headers, status) => {
    const user = { identity: "ana", emend_scope: "all" as const, emend_may_upload: true };
    // Where another server lets users in, it also checks the origins of other requests.
    for (const options of [{}, { userIn: () => user }]) {
      const server = await taking(options);
      const body = formOf({ "leave.md": LEAVE }, {});
      expect((await server.call("/api/documents", { method: "POST", body, headers })).status).toBe(status);
    }
  });
});

describe("within a scope", () => {
  test("a document belongs to the sender's department, whatever it says of itself", async () => {
    const server = await taking(departments);
    const claims = `---\ndepartment: finance\n---\n\n${LEAVE}`;
    await server.send({ "leave.md": claims }, {}, HR);
    expect(await server.settled(HR)).toMatchObject([{ title: "Leave", state: "ready" }]);
    expect(await server.list(FINANCE)).toEqual([]);
    expect(await server.list(BOTH)).toHaveLength(1);
    expect(await server.list(OPERATOR)).toHaveLength(1);
    const question = "How many days of paid leave do full-time staff have?";
    expect((await server.ask(question, READER)).text).toContain("28 days");
    expect((await server.ask(question, FINANCE)).text).not.toContain("28 days");
  });

  test("nobody writes outside, by metadata or by scope", async () => {
    const server = await taking(departments);
    for (const fields of [
      { metadata: { department: "finance" } },
      { metadata: { department: ["hr", "finance"] } },
      { scope: [{ key: "department", values: ["finance"] }] },
      { scope: [{ key: "Department", values: ["hr", "finance"] }] },
    ]) {
      const reply = await server.send({ "leave.md": LEAVE }, fields, HR);
      expect([reply.status, await reply.json()]).toEqual([
        400,
        { error: "You may add documents only with department: hr." },
      ]);
    }
    expect(server.files()).toEqual([]);
  });

  test("who may choose between departments has to", async () => {
    const server = await taking(departments);
    const unsaid = await server.send({ "leave.md": LEAVE }, {}, BOTH);
    expect([unsaid.status, await unsaid.json()]).toEqual([
      400,
      { error: "Say who may read it, by department: hr, finance." },
    ]);
    const rights = await (await server.call("/api/rights", { token: BOTH })).json();
    expect(rights).toMatchObject({ upload: { scope: [{ key: "department", values: ["hr", "finance"] }] } });
    const scope = [{ key: "department", values: ["finance"] }];
    expect((await server.send({ "leave.md": LEAVE }, { scope }, BOTH)).status).toBe(202);
    expect(await server.settled(FINANCE)).toHaveLength(1);
    expect(await server.list(HR)).toEqual([]);
  });

  test("nobody sees, replaces or deletes what others sent, or learns of it", async () => {
    const server = await taking(departments);
    await server.send({ "leave.md": LEAVE, "broken.pdf": "no" }, {}, HR);
    const [failed, ready] = await server.settled(HR);
    for (const id of [failed?.id ?? "", ready?.id ?? ""]) {
      expect((await server.about(id, FINANCE)).status).toBe(404);
      expect((await server.remove(id, FINANCE)).status).toBe(404);
      expect((await server.call(`/api/originals/${encodeURIComponent(id)}`, { token: FINANCE })).status).toBe(404);
      const [made] = await server.sent({ "parking.md": PARKING }, { id }, FINANCE);
      expect(made?.id).not.toBe(id);
    }
    const [same] = await server.sent({ "leave.md": PARKING }, {}, FINANCE);
    expect(same?.id).toMatch(/^upload:[0-9a-f]{8}\/leave\.md$/);
    await server.settled(FINANCE);
    expect(await server.list(HR)).toMatchObject([{ state: "failed" }, { id: ready?.id, title: "Leave" }]);
  });

  test("what a document may not state makes it fail", async () => {
    const user = {
      identity: "ana",
      emend_scope: [{ key: "status", values: ["draft"], not: true }],
      emend_may_upload: true,
    };
    const server = await taking({ tokens: [HR], userOf: () => user });
    await server.send({ "a.md": `---\nstatus: draft\n---\n\n${LEAVE}`, "b.md": LEAVE }, {}, HR);
    const all = await server.settled(HR);
    expect(all.map(({ state }) => state)).toEqual(["failed", "ready"]);
    expect(await server.documents.list()).toHaveLength(1);
  });

  test("who may see nothing can send nothing", async () => {
    const user = { identity: "ana", emend_scope: [], emend_may_upload: true };
    const server = await taking({ tokens: [HR], userOf: () => user });
    expect((await server.send({ "leave.md": LEAVE }, {}, HR)).status).toBe(400);
  });
});

describe("a document", () => {
  test("is deleted with its file and its passages", async () => {
    const server = await taking({ keep: true });
    await server.send({ "leave.md": LEAVE });
    await server.settled();
    expect((await server.remove("upload:leave.md")).status).toBe(200);
    expect([await server.list(), server.files(), await server.documents.list()]).toEqual([[], [], []]);
    expect((await server.remove("upload:leave.md")).status).toBe(404);
  });

  test("is not deleted here if it comes from elsewhere, and is listed", async () => {
    const server = await taking();
    const cwd = newFolder();
    writeFileSync(join(cwd, "parking.md"), PARKING);
    await ingestFiles(["parking.md"], { documents: server.documents, cwd });
    const [first] = await server.list();
    expect(first).toMatchObject({ state: "ready", uploaded: false });
    const reply = await server.remove(first?.id ?? "");
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: expect.stringMatching(/not uploaded/) }]);
  });

  test("of a deleted upload does not come back while it is read", async () => {
    const began = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const server = await taking({
      wrapped: (documents) => ({
        ...documents,
        async upsert(...given) {
          began.resolve();
          await go.promise;
          await documents.upsert(...given);
        },
      }),
    });
    await server.send({ "leave.md": LEAVE });
    await began.promise;
    expect(await server.list()).toMatchObject([{ state: "reading" }]);
    const removed = server.remove("upload:leave.md");
    go.resolve();
    expect((await removed).status).toBe(200);
    expect([await server.list(), await server.documents.list()]).toEqual([[], []]);
  });

  test("that emend removed by other means is forgotten, and can be sent again", async () => {
    const server = await taking();
    await server.send({ "leave.md": LEAVE });
    await server.settled();
    await server.documents.remove(["upload:leave.md"]);
    expect(await server.list()).toEqual([]);
    await server.send({ "leave.md": LEAVE });
    expect(await server.settled()).toMatchObject([{ id: "upload:leave.md", state: "ready" }]);
  });
});

describe("a folder that is ingested", () => {
  test("neither removes what was uploaded nor ingests its files", async () => {
    const server = await taking({ keep: true });
    await server.send({ "leave.md": LEAVE });
    await server.settled();
    const { documents, folder } = server;
    const summary = await ingestFiles([folder], { documents, cwd: folder, missing: "remove" });
    expect(summary).toMatchObject({ added: 0, removed: 0, hidden: [] });
    expect((await documents.list()).map(({ documentId }) => documentId)).toEqual(["upload:leave.md"]);
  });
});

describe("an original", () => {
  test("of a PDF opens in the browser, and any other kind is saved", async () => {
    const server = await taking({ keep: true });
    await server.send({
      "渡轮 (1)'.pdf": pdf(["The ferry leaves at six."]),
      "evil.html": "<script>alert(1)</script><p>Text.",
    });
    await server.settled();
    const opened = await server.call(`/api/originals/${encodeURIComponent("upload:渡轮 (1)'.pdf")}`);
    expect(Object.fromEntries(opened.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": "inline; filename*=UTF-8''%E6%B8%A1%E8%BD%AE%20%281%29%27.pdf",
      "content-security-policy": "sandbox",
    });
    const saved = await server.call("/api/originals/upload:evil.html");
    expect(Object.fromEntries(saved.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment; filename*=UTF-8''evil.html",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    expect(await saved.text()).toContain("<script>");
    const passage = await (await server.call("/api/passages/upload:evil.html")).json();
    expect(passage).toMatchObject({ original: true });
  });

  test("is not there if files are not kept", async () => {
    const server = await taking();
    await server.send({ "leave.md": LEAVE });
    await server.settled();
    expect((await server.call("/api/originals/upload:leave.md")).status).toBe(404);
    expect(await (await server.call("/api/passages/upload:leave.md")).json()).toMatchObject({ original: false });
  });
});

describe("a server that is stopped", () => {
  /** A server that stops in the middle of reading, and whether it could say so. */
  async function stoppedWhileReading(folder: string) {
    const began = Promise.withResolvers<void>();
    const server = await taking({
      folder,
      wrapped: (documents) => ({
        ...documents,
        upsert: (_, { signal } = {}) => {
          began.resolve();
          return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
        },
      }),
    });
    await server.send({ "leave.md": LEAVE, "parking.md": PARKING, "third.md": "A third one." });
    await began.promise;
    await server.drain(0);
  }

  test("while it reads leaves the rest to the next one", async () => {
    const folder = newFolder();
    await stoppedWhileReading(folder);
    const next = await taking({ folder });
    expect((await next.settled()).map(({ title, state }) => [title, state])).toEqual([
      ["Leave", "ready"],
      ["Parking", "ready"],
      ["third", "ready"],
    ]);
    expect(next.files()).toEqual([]);
  });

  test("and lost its files says so of each", async () => {
    const folder = newFolder();
    await stoppedWhileReading(folder);
    rmSync(join(folder, UPLOADS_FOLDER), { recursive: true });
    const database = openDatabase(join(folder, "store"));
    onTestFinished(() => database.close());
    const uploads = sqlUploads(database);
    const [first] = await uploads.list(["reading"]);
    // As if it had been stopped long ago.
    if (first) await uploads.renew(first.owner, 1);
    const next = await taking({ folder });
    const all = await next.settled();
    expect(all.map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
    expect(all[0]?.reason).toMatch(/stopped before it was read/);
  });
});
