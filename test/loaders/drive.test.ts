import { exportPKCS8, generateKeyPair, type JWTVerifyResult, jwtVerify } from "jose";
import { beforeEach, expect, test } from "vitest";
import { type DriveOptions, drive } from "../../src/loaders/drive.js";
import { connectorContract, listed, textOf } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const token = "drive-access-token";
const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
const pem = await exportPKCS8(privateKey);
const signal = new AbortController().signal;

type File = Record<string, unknown> & { name: string; mimeType: string };

const DOCUMENT = "application/vnd.google-apps.document";
const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const FOLDER = "application/vnd.google-apps.folder";

const file = (name: string, more: object = {}): File => ({
  name,
  mimeType: "text/markdown",
  md5Checksum: "1",
  modifiedTime: "2024-05-01T09:00:00Z",
  webViewLink: `https://drive.google.com/file/d/${name}`,
  parents: ["root"],
  permissions: [{ type: "user", emailAddress: "ada@example.org", role: "owner" }],
  ...more,
});

/** Google Drive and its sign-in; two files a page. */
async function google(files: Map<string, File>, rights = new Map<string, unknown[]>()) {
  const tricks = { isOpen: true, incomplete: false, sameToken: false, failAt: "", limits: 0 };
  const assertions: JWTVerifyResult[] = [];
  const server = await smallServer(async ({ url, headers, body }): Promise<Replied | undefined> => {
    const { pathname, searchParams } = url;
    if (pathname === "/token") {
      if (!tricks.isOpen) return { status: 400, json: { error: "invalid_grant" } };
      assertions.push(await jwtVerify(new URLSearchParams(body).get("assertion") ?? "", publicKey));
      return { json: { access_token: token, expires_in: 3599 } };
    }
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, json: {} };
    if (tricks.limits-- > 0) return { status: 403, headers: { "retry-after": "0" } };
    if (pathname === "/drive/v3/files") return list(searchParams);
    const [, id = "", what] = /^\/drive\/v3\/files\/([^/]+)(?:\/(export|permissions))?$/.exec(pathname) ?? [];
    const found = files.get(id);
    if (!found) return undefined;
    if (what === "permissions") {
      const start = Number(searchParams.get("pageToken") ?? 0);
      const all = rights.get(id) ?? [];
      return {
        json: {
          permissions: all.slice(start, start + 1),
          ...(start + 1 < all.length && { nextPageToken: `${start + 1}` }),
        },
      };
    }
    if (what === "export") return { body: `${found.name} as ${searchParams.get("mimeType")}` };
    if (searchParams.get("alt") === "media") return { body: `content of ${found.name} ${found.md5Checksum}` };
    return { json: { id, ...found } };
  });

  function list(query: URLSearchParams): Replied {
    const page = query.get("pageToken") ?? "0";
    if (page === tricks.failAt) return { status: 400, json: {} };
    const parent = /^'(.+)' in parents/.exec(query.get("q") ?? "")?.[1]?.replace(/\\(.)/g, "$1");
    const all = [...files]
      .filter(([, one]) => !one.trashed && (parent === undefined || (one.parents as string[]).includes(parent)))
      .map(([id, one]) => ({ id, ...one }));
    const start = Number(page);
    const next = tricks.sameToken ? "2" : `${start + 2}`;
    return {
      json: {
        files: all.slice(start, start + 2),
        ...(start + 2 < all.length && { nextPageToken: next }),
        ...(tricks.incomplete && { incompleteSearch: true }),
      },
    };
  }

  return { ...server, tricks, assertions };
}

const open = ({ address }: { address: string }, more: Partial<DriveOptions> = {}) =>
  drive({
    key: JSON.stringify({
      client_email: "emend@team.iam",
      private_key: pem,
      private_key_id: "k1",
      token_uri: `${address}/token`,
    }),
    url: `${address}/drive/v3`,
    ...more,
  });

let files: Map<string, File>;
beforeEach(() => {
  files = new Map([
    ["1", file("leave.md")],
    ["2", file("Plan", { mimeType: DOCUMENT, md5Checksum: undefined })],
    ["3", file("Scan", { mimeType: "application/pdf" })],
    ["4", file("film.mp4", { mimeType: "video/mp4" })],
    ["5", file("Survey", { mimeType: "application/vnd.google-apps.form" })],
  ]);
});

connectorContract("drive", async () => {
  const server = await google(files);
  return {
    ...server,
    connect: () => open(server),
    id: "1",
    change: () => Object.assign(files.get("1") ?? {}, { md5Checksum: "2" }),
    remove: () => Object.assign(files.get("1") ?? {}, { trashed: true }),
    refuse: () => (server.tricks.isOpen = false),
    secrets: [token, pem, pem.split("\n")[1] ?? ""],
  };
});

test("a service account signs in by its key, in the name of a user if one is given", async () => {
  await using server = await google(files);
  const connector = open(server, { subject: "ada@example.org" });
  await listed(connector);
  await listed(connector);
  expect(
    server.assertions.map(({ payload, protectedHeader: { alg, kid } }) => [
      payload.iss,
      payload.sub,
      payload.aud,
      alg,
      kid,
    ]),
  ).toEqual([["emend@team.iam", "ada@example.org", `${server.address}/token`, "RS256", "k1"]]);
});

test("a file has its name, address, date, author and readers, and Google's own kinds are exported", async () => {
  Object.assign(files.get("1") ?? {}, { owners: [{ displayName: "Ada" }] });
  await using server = await google(files);
  const all = await listed(open(server));
  expect(all.map(({ title, metadata }) => [title, metadata?.file])).toEqual([
    [undefined, "leave.md"],
    ["Plan", "Plan"],
    [undefined, "Scan"],
  ]);
  expect(all[0]).toEqual({
    id: "1",
    version: "1",
    url: "https://drive.google.com/file/d/leave.md",
    changedAt: "2024-05-01T09:00:00Z",
    readers: ["user:ada@example.org"],
    metadata: { file: "leave.md", author: ["Ada"] },
  });
  expect(all[1]?.version).toBe("2024-05-01T09:00:00Z");
  const plan = await open(server).read({ id: "2" }, { signal });
  expect(plan).toMatchObject({ name: "Plan.docx" });
  expect(await textOf(open(server), "2")).toBe(`Plan as ${WORD}`);
  expect(await open(server).read({ id: "3" }, { signal })).toMatchObject({ name: "Scan.pdf" });
  Object.assign(files.get("1") ?? {}, { trashed: true });
  for (const id of ["1", "gone"]) expect(await open(server).read({ id }, { signal })).toBeUndefined();
});

/** What permissions mean, by what they are. */
const RIGHTS: readonly (readonly [what: string, permission: unknown, readers: string[]])[] = [
  ["a group", { type: "group", emailAddress: "hr@example.org" }, ["group:hr@example.org"]],
  ["the team's domain", { type: "domain", domain: "example.org", allowFileDiscovery: true }, ["everyone"]],
  ["the team's domain with the link", { type: "domain", domain: "example.org", allowFileDiscovery: false }, []],
  ["another domain", { type: "domain", domain: "other.org", allowFileDiscovery: true }, []],
  ["anyone", { type: "anyone", allowFileDiscovery: true }, ["everyone"]],
  ["anyone with the link", { type: "anyone", allowFileDiscovery: false }, []],
  ["anyone, without a word on the link", { type: "anyone" }, []],
  ["an account that is gone", { type: "user", emailAddress: "x@example.org", deleted: true }, []],
  ["a right that is over", { type: "user", emailAddress: "x@example.org", expirationTime: "2020-01-01T00:00:00Z" }, []],
  ["a view without content", { type: "user", emailAddress: "x@example.org", view: "metadata" }, []],
];

test("who may read follows from the permissions, and domains only count if the team's is known", async () => {
  files = new Map(RIGHTS.map(([what, permission], i) => [`${i}`, file(`${what}.md`, { permissions: [permission] })]));
  await using server = await google(files);
  const readers = async (options: Partial<DriveOptions>) =>
    (await listed(open(server, options))).map((one) => [one.metadata?.file, one.readers]);
  expect(await readers({ domain: "example.org" })).toEqual(RIGHTS.map(([what, , who]) => [`${what}.md`, who]));
  expect((await readers({})).flatMap(([, who]) => who)).toEqual(["group:hr@example.org"]);
});

test("a change of rights alone changes the readers and not the version; rights that are not told stay unknown", async () => {
  await using server = await google(files);
  const [before] = await listed(open(server));
  Object.assign(files.get("1") ?? {}, { permissions: [] });
  expect((await listed(open(server)))[0]).toEqual({ ...before, readers: [] });
  Object.assign(files.get("1") ?? {}, { permissions: undefined });
  expect((await listed(open(server)))[0]).toEqual({ ...before, readers: undefined });
});

test("in a shared drive, files without rights of their own are asked about once a folder", async () => {
  const inDrive = { driveId: "D", permissions: undefined, hasAugmentedPermissions: false };
  files = new Map([
    ["1", file("a.md", { ...inDrive, parents: ["x"] })],
    ["2", file("b.md", { ...inDrive, parents: ["x"] })],
    ["3", file("c.md", { ...inDrive, parents: ["y"] })],
    ["4", file("d.md", { ...inDrive, parents: ["x"], hasAugmentedPermissions: true })],
  ]);
  const user = (name: string) => ({ type: "user", emailAddress: `${name}@example.org` });
  const rights = new Map([
    ["1", [user("ada"), user("bo")]],
    ["3", [user("cy")]],
    ["4", [user("ada"), user("bo"), user("di")]],
  ]);
  await using server = await google(files, rights);
  expect(
    (await listed(open(server, { drive: "D" }))).map(({ readers }) => readers?.map((one) => one.slice(5, -12))),
  ).toEqual([["ada", "bo"], ["ada", "bo"], ["cy"], ["ada", "bo", "di"]]);
  expect(server.asked.find((line) => line.includes("corpora=drive&driveId=D"))).toBeDefined();
});

test("a folder is read with the folders in it, and each file once", async () => {
  files = new Map([
    ["f", file("In", { mimeType: FOLDER, parents: ["o'\\top"] })],
    ["loop", file("Loop", { mimeType: FOLDER, parents: ["f"] })],
    ["1", file("a.md", { parents: ["o'\\top", "f"] })],
    ["2", file("b.md", { parents: ["f"] })],
    ["3", file("c.md", { parents: ["elsewhere"] })],
  ]);
  Object.assign(files.get("f") ?? {}, { parents: ["o'\\top", "loop"] });
  await using server = await google(files);
  expect((await listed(open(server, { folder: "o'\\top" }))).map(({ id }) => id)).toEqual(["1", "2"]);
});

test("a list that is not whole is an error, and a limit is waited for", async () => {
  await using server = await google(files);
  server.tricks.limits = 1;
  expect(await listed(open(server))).toHaveLength(3);
  server.tricks.failAt = "4";
  await expect(listed(open(server))).rejects.toThrow("refused the request (400)");
  server.tricks.failAt = "";
  server.tricks.sameToken = true;
  await expect(listed(open(server))).rejects.toThrow("could not list all files");
  server.tricks.sameToken = false;
  server.tricks.incomplete = true;
  await expect(listed(open(server))).rejects.toThrow("could not list all files");
});

test("wrong options are named without their values", async () => {
  expect(() => drive({})).toThrow("the key of a service account, or a token");
  for (const key of ["{not JSON: secret", '{"private_key": "secret"}', "-----BEGIN secret", "no/secret/key.json"])
    await expect(listed(drive({ key }))).rejects.toThrow(/^(?!.*secret).*JSON file of a service account/);
  await expect(listed(drive({ key: "no/key.json" }))).rejects.toThrow("there is no file");
  await using server = await google(files);
  const key = JSON.stringify({ client_email: "a", private_key: "secret", token_uri: `${server.address}/token` });
  await expect(listed(open(server, { key }))).rejects.toThrow(/^(?!.*secret).*JSON file of a service account/);
});
