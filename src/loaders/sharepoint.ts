import { z } from "zod";
import { UsageError } from "../errors.js";
import { isReadable } from "../ingest/formats/registry.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { aReader, type Reader } from "../types/reader.js";
import { sleep } from "../waiting.js";
import { accessTokens } from "./access-token.js";
import type { Connector, Listed } from "./port.js";
import { requests } from "./requests.js";

export interface SharePointOptions {
  /** The address of a site, such as `https://contoso.sharepoint.com/sites/hr`. Give either it or `user`. */
  site?: string;
  /** The user principal name of somebody whose OneDrive is read, such as `ada@contoso.com`. */
  user?: string;
  /** The names of the document libraries to read. Default: all of the site. */
  libraries?: readonly string[];
  /** The id or domain of the tenant. With `clientId` and `clientSecret` it takes the place of `token`. */
  tenant?: string;
  clientId?: string;
  clientSecret?: string;
  /** An access token for Microsoft Graph, which is not renewed. */
  token?: string;
  /**
   * Who is in the groups of the site, by their names, such as `{"HR Members": ["group:6f0c…"]}`. Graph does not tell, so
   * nobody may read by a group that is not named here.
   */
  siteGroups?: Readonly<Record<string, readonly Reader[]>>;
  /** Microsoft Graph in another cloud. Default `https://graph.microsoft.com/v1.0`. */
  graph?: string;
  /** The sign-in of another cloud. Default `https://login.microsoftonline.com`. */
  login?: string;
}

const some = z.string().min(1);
const Given = exactly({
  site: z.url({ protocol: /^https?$/, error: "must be the address of a site" }),
  user: some,
  libraries: z.array(some).min(1),
  tenant: some,
  clientId: some,
  clientSecret: some,
  token: some,
  siteGroups: z.record(z.string(), z.array(aReader)),
  graph: some,
  login: some,
} satisfies OptionsOf<SharePointOptions>).partial();

/**
 * The files in the document libraries of a SharePoint site, or in somebody's OneDrive, by Microsoft Graph. Files that emend
 * does not read are left out. Readers are people by user principal name and e-mail address, and groups of Entra by id. Of
 * a link, only the people whom it names may read: those who were never sent it would not find the file at the source either.
 * @throws UsageError if an option is wrong.
 */
export function sharepoint(options: SharePointOptions): Connector {
  check(Given, options);
  const { site, user, libraries, siteGroups = {}, graph = "https://graph.microsoft.com/v1.0" } = options;
  if ((site === undefined) === (user === undefined))
    throw new UsageError("SharePoint: give either the address of a site, or the user whose OneDrive is read.");
  const origin = URL.parse(graph)?.origin;
  const api = requests({ source: SOURCE, baseURL: graph });
  const authorization = authorizationOf(options, origin);

  const call = async (signal: AbortSignal) => ({ signal, headers: { authorization: await authorization(signal) } });

  async function get<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    // The token goes nowhere else, whatever a reply names as its next page.
    if (!path.startsWith("/") && URL.parse(path)?.origin !== origin)
      throw new Error(`${SOURCE} sent a page of another address, which is not followed.`);
    return (await api.reply(path, await call(signal))).as(schema);
  }

  async function everyPage<T>(path: string, entry: z.ZodType<T>, signal: AbortSignal): Promise<T[]> {
    const all: T[] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const page: Page<T> = await get(next, pageOf(entry), signal);
      all.push(...page.value);
      next = page["@odata.nextLink"];
    }
    return all;
  }

  async function drives(signal: AbortSignal): Promise<Drive[]> {
    if (site === undefined) return [await get(`/users/${encodeURIComponent(user ?? "")}/drive`, Drive, signal)];
    const { hostname, pathname } = new URL(site);
    const path = pathname.replace(/\/+$/, "");
    const { id } = await get(`/sites/${hostname}${path && `:${path}`}`, z.object({ id: some }), signal);
    const all = await everyPage(`/sites/${encodeURIComponent(id)}/drives`, Drive, signal);
    const missing = libraries?.find((name) => !all.some((drive) => drive.name === name));
    if (missing !== undefined)
      throw new Error(
        `The site has no document library “${missing}”. It has: ${all.map(({ name }) => name).join(", ")}.`,
      );
    return all.filter(({ name }) => !libraries || libraries.includes(name));
  }

  /** Lists the files of a drive by `delta`: while somebody writes, the lists of folders may leave files out. */
  async function filesIn(drive: Drive, signal: AbortSignal): Promise<Item[]> {
    // The last mention of an item is the valid one.
    const items = new Map<string, Item>();
    for (let next: string | undefined = `/drives/${encodeURIComponent(drive.id)}/root/delta`; next !== undefined; ) {
      const page: z.infer<typeof Delta> = await get(next, Delta, signal);
      for (const item of page.value) items.set(item.id, item);
      next = page["@odata.nextLink"];
      if (next === undefined && page["@odata.deltaLink"] === undefined)
        throw new Error(`The list of “${drive.name}” is cut off. Try again later.`);
    }
    return [...items.values()].filter(({ file, deleted, name = "" }) => file && !deleted && isReadable(name));
  }

  /** Returns the readers of up to 20 files by their ids, without the files that are gone. Graph cannot list them with the files. */
  async function readersOf(drive: Drive, items: readonly Item[], signal: AbortSignal): Promise<Map<string, Reader[]>> {
    const found = new Map<string, Reader[]>();
    let left = items.map(({ id }) => id);
    for (let tries = 0; left.length > 0; tries++) {
      const asked = left.map((id) => ({
        id,
        method: "GET",
        url: `/drives/${encodeURIComponent(drive.id)}/items/${encodeURIComponent(id)}/permissions`,
      }));
      const { headers, ...rest } = await call(signal);
      const reply = await api.reply("/$batch", {
        ...rest,
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ requests: asked }),
      });
      const { responses } = reply.as(Batch);
      let wait = 0;
      const again: string[] = [];
      for (const id of left) {
        const one = responses.find((each) => each.id === id);
        if (one?.status === 200 && one.body) {
          const { value, "@odata.nextLink": next } = one.body;
          const more = next === undefined ? [] : await everyPage(next, Permission, signal);
          found.set(id, readersBy([...value, ...more], siteGroups));
        } else if (one === undefined || one.status === 429 || one.status >= 500) {
          wait = Math.max(wait, Number(one?.headers?.["Retry-After"] ?? 0) || 2 ** tries);
          again.push(id);
        } else if (one.status !== 404 && one.status !== 410)
          throw new Error(
            `${SOURCE} does not tell who may read a file (${one.status}). Check that the app may read permissions.`,
          );
      }
      if (again.length > 0 && tries === MOST_REPEATS)
        throw new Error(`${SOURCE} does not tell who may read ${again.length} of the files. Try again later.`);
      if (again.length > 0) await sleep(Math.min(wait, LONGEST_WAIT) * 1000, signal);
      left = again;
    }
    return found;
  }

  return {
    async *list({ signal }) {
      for (const drive of await drives(signal)) {
        const files = await filesIn(drive, signal);
        for (let start = 0; start < files.length; start += BATCH) {
          const some = files.slice(start, start + BATCH);
          const readers = await readersOf(drive, some, signal);
          for (const file of some) if (readers.has(file.id)) yield listed(drive, file, readers.get(file.id));
        }
      }
    },
    async read({ id, metadata }, { signal }) {
      const [drive = "", item = ""] = id.split("/").map(encodeURIComponent);
      const bytes = await api.bytes(`/drives/${drive}/items/${item}/content`, await call(signal));
      return bytes && { name: `${metadata?.file}`, bytes };
    },
  };
}

const SOURCE = "Microsoft Graph";

/** The most requests in one. */
const BATCH = 20;
const MOST_REPEATS = 5;
/** In seconds. */
const LONGEST_WAIT = 120;

function authorizationOf(
  { token, tenant, clientId, clientSecret, login = "https://login.microsoftonline.com" }: SharePointOptions,
  graph = "",
): (signal: AbortSignal) => Promise<string> {
  if (token !== undefined) return async () => `Bearer ${token}`;
  if (tenant === undefined || clientId === undefined || clientSecret === undefined)
    throw new UsageError("SharePoint: give tenant, clientId and clientSecret, or a token.");
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  return accessTokens({
    source: "Microsoft's sign-in",
    address: `${login.replace(/\/+$/, "")}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    form: async () => ({ ...form, scope: `${graph}/.default` }),
  });
}

const listed = (drive: Drive, item: Item, readers: readonly Reader[] | undefined): Listed => ({
  id: `${drive.id}/${item.id}`,
  version: item.cTag ?? item.eTag,
  url: item.webUrl,
  changedAt: item.lastModifiedDateTime,
  readers,
  metadata: { file: item.name, library: drive.name, author: item.createdBy?.user?.displayName },
});

/** Returns who may read a file by its permissions. Those that are inherited are among them. */
function readersBy(permissions: readonly Permission[], siteGroups: Readonly<Record<string, readonly Reader[]>>) {
  const valid = permissions.filter(
    ({ roles, expirationDateTime, hasPassword }) =>
      roles.some((role) => READING.has(role.toLowerCase())) && !isOver(expirationDateTime) && hasPassword !== true,
  );
  const readers = valid.flatMap(({ grantedToV2, grantedToIdentitiesV2 = [] }) =>
    [...grantedToIdentitiesV2, ...(grantedToV2 ? [grantedToV2] : [])].flatMap((one) => readersAs(one, siteGroups)),
  );
  return [...new Set(readers)];
}

/** The roles that let somebody read. SharePoint's own begin with "sp."; limited access is none of them. */
const READING: ReadonlySet<string> = new Set([
  "read",
  "write",
  "owner",
  "sp.full control",
  "sp.design",
  "sp.edit",
  "sp.contribute",
  "sp.read",
  "sp.view only",
]);

/** A time in the year 1 stands for none. */
const isOver = (time = "") => !time.startsWith("0001-") && Date.parse(time) < Date.now();

function readersAs(
  { user, group, siteUser, siteGroup }: Identity,
  siteGroups: Readonly<Record<string, readonly Reader[]>>,
): readonly Reader[] {
  if (siteGroup)
    return Object.hasOwn(siteGroups, siteGroup.displayName) ? (siteGroups[siteGroup.displayName] ?? []) : [];
  const login = siteUser?.loginName ?? "";
  if (EVERYONE.test(login)) return ["everyone"];
  if (group || login.startsWith("c:")) {
    // The owners of a group are granted something as "<id>_o". The other members are not.
    if (/_o$/.test(login)) return [];
    const id = group?.id ?? ENTRA_GROUP.exec(login)?.[1];
    return id ? [`group:${id}`] : [];
  }
  const names = [MEMBER.exec(login)?.[1], user?.email, siteUser?.email];
  return names.flatMap((name): Reader[] => (name ? [`user:${name}`] : []));
}

/** Everyone, and everyone except guests. */
const EVERYONE = /^c:0\(\.s\|true$|\|spo-grid-all-users\//;
const ENTRA_GROUP = /^c:0[ot]\.c\|(?:tenant|federateddirectoryclaimprovider)\|([0-9a-f-]{36})$/i;
const MEMBER = /^i:0#\.f\|membership\|(.+)$/;

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? undefined);

const Drive = z.object({ id: some, name: z.string().default("") });
type Drive = z.infer<typeof Drive>;

const Item = z.object({
  id: some,
  name: text,
  file: z.unknown().optional(),
  deleted: z.unknown().optional(),
  cTag: text,
  eTag: text,
  webUrl: text,
  lastModifiedDateTime: text,
  createdBy: z.object({ user: z.object({ displayName: text }).nullish() }).nullish(),
});
type Item = z.infer<typeof Item>;

const pageOf = <T>(entry: z.ZodType<T>) =>
  z.object({ value: z.array(entry), "@odata.nextLink": some.optional() }) satisfies z.ZodType<Page<T>>;
interface Page<T> {
  value: T[];
  "@odata.nextLink"?: string | undefined;
}

const Delta = z.object({
  value: z.array(Item),
  "@odata.nextLink": some.optional(),
  "@odata.deltaLink": some.optional(),
});

const Identity = z.object({
  user: z.object({ email: text }).nullish(),
  group: z.object({ id: text }).nullish(),
  siteUser: z.object({ loginName: text, email: text }).nullish(),
  siteGroup: z.object({ displayName: z.string() }).nullish(),
});
type Identity = z.infer<typeof Identity>;

const Permission = z.object({
  roles: z.array(z.string()).default([]),
  expirationDateTime: text,
  hasPassword: z.boolean().nullish(),
  grantedToV2: Identity.nullish(),
  grantedToIdentitiesV2: z
    .array(Identity)
    .nullish()
    .transform((given) => given ?? undefined),
});
type Permission = z.infer<typeof Permission>;

const PermissionPage = pageOf(Permission);

const Batch = z.object({
  responses: z.array(
    z.object({
      id: z.string(),
      status: z.number(),
      headers: z.record(z.string(), z.unknown()).nullish(),
      // That of an error is another.
      body: PermissionPage.optional().catch(undefined),
    }),
  ),
});
