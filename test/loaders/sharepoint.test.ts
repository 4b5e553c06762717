import { beforeEach, expect, test } from "vitest";
import { type SharePointOptions, sharepoint } from "../../src/loaders/sharepoint.js";
import { connectorContract, listed, textOf } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const clientSecret = "graph-very-secret";
const token = "graph-access-token";
const HR = "6f0c7f8e-1111-4222-8333-444455556666";

interface File {
  name: string;
  text: string;
  version: number;
  permissions?: unknown[];
  gone?: true;
}

const reading = (grantedToV2: object, more: object = {}) => ({ roles: ["read"], grantedToV2, ...more });
const ada = { user: { id: "1", displayName: "Ada", email: "ada@contoso.com" } };

/** Microsoft Graph and its sign-in, with a site of one library, two files a page. */
async function graph(files: Map<string, File>) {
  const tricks = { secret: clientSecret, batchLimits: 0, cutOff: false, next: "", tokens: 0 };
  const server = await smallServer(({ url, headers, body, method }): Replied | undefined => {
    const path = decodeURIComponent(url.pathname);
    if (path === "/contoso/oauth2/v2.0/token") {
      const form = new URLSearchParams(body);
      if (form.get("client_secret") !== tricks.secret) return { status: 401, json: { error: "invalid_client" } };
      expect(form.get("scope")).toBe(`${server.address}/.default`);
      tricks.tokens += 1;
      return { json: { access_token: token, expires_in: 3600 } };
    }
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, json: { error: {} } };
    if (path === "/v1.0/sites/contoso.sharepoint.com:/sites/hr") return { json: { id: "contoso,1,2" } };
    if (path === "/v1.0/sites/contoso,1,2/drives")
      return {
        json: url.searchParams.has("page")
          ? { value: [{ id: "b!2", name: "Archive" }] }
          : { value: [{ id: "b!1", name: "Documents" }], "@odata.nextLink": `${server.address}${url.pathname}?page=2` },
      };
    if (path === "/v1.0/users/ada@contoso.com/drive") return { json: { id: "b!1" } };
    if (path === "/v1.0/drives/b!2/root/delta") return { json: { value: [], "@odata.deltaLink": "x" } };
    if (path === "/v1.0/drives/b!1/root/delta") return delta(Number(url.searchParams.get("start") ?? 0));
    if (path === "/v1.0/$batch" && method === "POST") return batch(JSON.parse(body).requests);
    const [, id, what] = /^\/v1\.0\/drives\/b!1\/items\/([^/]+)\/(content|permissions)$/.exec(path) ?? [];
    const file = files.get(id ?? "");
    if (!file || file.gone) return undefined;
    if (what === "content") return { status: 302, headers: { location: `${elsewhere.address}/download/${id}` } };
    return { json: { value: [reading({ user: { email: "late@contoso.com" } })] } };
  });
  const elsewhere = await smallServer(({ url, headers }) => {
    expect(headers.authorization).toBeUndefined();
    return { body: files.get(url.pathname.slice("/download/".length))?.text ?? "" };
  });

  function delta(start: number): Replied {
    const all = [...files].map(([id, { name, version, gone }]) => ({
      id,
      name,
      eTag: `"${id},${version}"`,
      webUrl: `https://contoso.sharepoint.com/sites/hr/${name}`,
      lastModifiedDateTime: "2024-05-01T09:00:00Z",
      createdBy: { user: { displayName: "Ada" } },
      file: {},
      ...(gone && { deleted: {} }),
      unknown: 1,
    }));
    const items = [{ id: "root", root: {}, folder: {} }, ...all];
    const value = items.slice(start, start + 2);
    if (start + 2 >= items.length)
      return { json: { value, ...(!tricks.cutOff && { "@odata.deltaLink": `${server.address}/v1.0/x` }) } };
    const next = tricks.next || `${server.address}/v1.0/drives/b!1/root/delta?start=${start + 2}`;
    return { json: { value, "@odata.nextLink": next } };
  }

  function batch(asked: { id: string; url: string }[]): Replied {
    expect(asked.length).toBeLessThanOrEqual(20);
    const responses = asked.map(({ id, url }) => {
      expect(decodeURIComponent(url)).toBe(`/drives/b!1/items/${id}/permissions`);
      if (tricks.batchLimits-- > 0) return { id, status: 429, headers: { "Retry-After": "0.01" }, body: {} };
      const value = files.get(id)?.permissions;
      if (!value) return { id, status: 404, body: {} };
      const more =
        id === "paged" ? { "@odata.nextLink": `${server.address}/v1.0/drives/b!1/items/paged/permissions` } : {};
      return { id, status: 200, body: { value, ...more } };
    });
    return { json: { responses: responses.reverse() } };
  }

  return {
    ...server,
    tricks,
    files,
    async [Symbol.asyncDispose]() {
      await Promise.all([server, elsewhere].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

const open = ({ address }: { address: string }, more: Partial<SharePointOptions> = {}) =>
  sharepoint({
    site: "https://contoso.sharepoint.com/sites/hr/",
    tenant: "contoso",
    clientId: "app",
    clientSecret,
    graph: `${address}/v1.0`,
    login: address,
    ...more,
  });

const file = (name: string, permissions: unknown[] = [reading(ada)]): File => ({
  name,
  text: name,
  version: 1,
  permissions,
});

let files: Map<string, File>;
beforeEach(() => {
  files = new Map([
    ["1", file("leave.md")],
    ["2", file("pay.txt")],
    ["3", file("film.mp4")],
  ]);
});

connectorContract("sharepoint", async () => {
  const server = await graph(files);
  return {
    ...server,
    connect: () => open(server),
    id: "b!1/1",
    change: () => Object.assign(files.get("1") ?? {}, { version: 2 }),
    remove: () => Object.assign(files.get("1") ?? {}, { gone: true }),
    refuse: () => (server.tricks.secret = "another"),
    secrets: [clientSecret, token],
  };
});

test("a file has its name, address, dates, library, author and readers, and is read without the token elsewhere", async () => {
  await using server = await graph(files);
  const [one, two, ...rest] = await listed(open(server));
  expect(rest).toEqual([]);
  expect(two?.id).toBe("b!1/2");
  expect(one).toEqual({
    id: "b!1/1",
    version: '"1,1"',
    url: "https://contoso.sharepoint.com/sites/hr/leave.md",
    changedAt: "2024-05-01T09:00:00Z",
    readers: ["user:ada@contoso.com"],
    metadata: { file: "leave.md", library: "Documents", author: "Ada" },
  });
  expect(await textOf(open(server), "b!1/1")).toBe("leave.md");
  expect(server.tricks.tokens).toBe(2);
});

test("a change of rights alone changes the readers and not the version", async () => {
  await using server = await graph(files);
  const [before] = await listed(open(server));
  Object.assign(files.get("1") ?? {}, { permissions: [] });
  const [after] = await listed(open(server));
  expect(after).toEqual({ ...before, readers: [] });
});

/** What permissions mean, by what they are. */
const RIGHTS: readonly (readonly [what: string, permission: unknown, readers: string[]])[] = [
  [
    "a user by both names",
    reading({ ...ada, siteUser: { loginName: "i:0#.f|membership|ada_l@contoso.com" } }),
    ["user:ada_l@contoso.com", "user:ada@contoso.com"],
  ],
  [
    "a group of Entra by its id",
    reading({ group: { id: HR, displayName: "HR", email: "hr@contoso.com" } }),
    [`group:${HR}`],
  ],
  ["a group that only SharePoint names", reading({ siteUser: { loginName: `c:0t.c|tenant|${HR}` } }), [`group:${HR}`]],
  [
    "the owners of a group, who are not the group",
    reading({ group: { id: HR }, siteUser: { loginName: `c:0o.c|federateddirectoryclaimprovider|${HR}_o` } }),
    [],
  ],
  [
    "everyone but guests",
    reading({ siteUser: { loginName: "c:0-.f|rolemanager|spo-grid-all-users/1234" } }),
    ["everyone"],
  ],
  ["a group of the site that the options name", reading({ siteGroup: { displayName: "HR Members" } }), ["group:hr"]],
  [
    "a group of the site that nobody names",
    reading({ siteGroup: { displayName: "Visitors" }, user: { email: "x@contoso.com" } }),
    [],
  ],
  ["a group of the site named as a property", reading({ siteGroup: { displayName: "constructor" } }), []],
  ["a link for the organisation", { roles: ["read"], link: { scope: "organization" } }, []],
  ["a link for anybody", { roles: ["read"], link: { scope: "anonymous" } }, []],
  [
    "a link for the organisation that names people",
    { roles: ["read"], link: { scope: "organization" }, grantedToIdentitiesV2: [ada] },
    ["user:ada@contoso.com"],
  ],
  [
    "a link for some",
    { roles: ["write"], link: { scope: "users" }, grantedToIdentitiesV2: [ada] },
    ["user:ada@contoso.com"],
  ],
  ["a link that grants nothing more", { roles: ["read"], link: { scope: "existingAccess" } }, []],
  ["a link with a password", { roles: ["read"], link: { scope: "anonymous" }, hasPassword: true }, []],
  ["a right that is over", reading(ada, { expirationDateTime: "2020-01-01T00:00:00Z" }), []],
  ["a right without end", reading(ada, { expirationDateTime: "0001-01-01T00:00:00Z" }), ["user:ada@contoso.com"]],
  ["limited access, which does not let read", { ...reading(ada), roles: ["sp.limited access"] }, []],
  ["an invitation that nobody accepted", { roles: ["read"], invitation: { email: "jd@example.com" } }, []],
];

test("who may read follows from the permissions", async () => {
  files = new Map(RIGHTS.map(([what, permission], i) => [`${i}`, file(`${what}.md`, [permission])]));
  await using server = await graph(files);
  const options = { token, libraries: ["Documents"], siteGroups: { "HR Members": ["group:hr"] as const } };
  const found = (await listed(open(server, options))).map(({ metadata, readers }) => [metadata?.file, readers]);
  expect(found).toEqual(RIGHTS.map(([what, , readers]) => [`${what}.md`, readers]));
});

test("rights of many files are asked for in batches, and further pages of them are read", async () => {
  for (let i = 0; i < 25; i++) files.set(`f${i}`, file(`f${i}.md`));
  files.set("paged", file("paged.md"));
  await using server = await graph(files);
  const all = await listed(open(server));
  expect(all).toHaveLength(28);
  expect(all.find(({ metadata }) => metadata?.file === "paged.md")?.readers).toEqual([
    "user:ada@contoso.com",
    "user:late@contoso.com",
  ]);
  expect(server.asked.filter((line) => line.includes("$batch"))).toHaveLength(2);
});

test("a limit within a batch is waited for, and what stays unknown is an error", async () => {
  await using server = await graph(files);
  server.tricks.batchLimits = 1;
  expect(await listed(open(server))).toHaveLength(2);
  server.tricks.batchLimits = 100;
  await expect(listed(open(server))).rejects.toThrow("does not tell who may read 2 of the files");
});

test("a list that breaks off, or leads elsewhere, is an error", async () => {
  await using server = await graph(files);
  server.tricks.next = "http://127.0.0.1:9/v1.0/drives/b!1/root/delta";
  await expect(listed(open(server))).rejects.toThrow("another address");
  server.tricks.next = `${server.address}/v1.0/nowhere`;
  await expect(listed(open(server))).rejects.toThrow("has nothing at");
  server.tricks.next = "";
  server.tricks.cutOff = true;
  await expect(listed(open(server))).rejects.toThrow("is cut off");
});

test("the files of somebody's OneDrive are read, and a library that is not there is named", async () => {
  await using server = await graph(files);
  const drive = sharepoint({ user: "ada@contoso.com", token, graph: `${server.address}/v1.0` });
  expect((await listed(drive)).map(({ metadata }) => metadata?.file)).toEqual(["leave.md", "pay.txt"]);
  await expect(listed(open(server, { libraries: ["Pay"] }))).rejects.toThrow(
    "no document library “Pay”. It has: Documents, Archive.",
  );
});

test("wrong options are named without their values", () => {
  expect(() => sharepoint({ token })).toThrow("the address of a site");
  expect(() => sharepoint({ user: "ada@contoso.com", tenant: "contoso" })).toThrow("clientSecret");
  expect(() => sharepoint({ user: "a", token, siteGroups: { HR: ["hr" as never] } })).toThrow("siteGroups");
});
