import { z } from "zod";
import type { Reader } from "../types/reader.js";
import type { Requests } from "./requests.js";

/** A user or a group as Confluence names them: Cloud by ids, Data Center by names and keys. */
export const Named = z.object({
  type: z.string().optional(),
  accountId: z.string().optional(),
  email: z.string().optional(),
  userKey: z.string().optional(),
  username: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
});
export type Named = z.infer<typeof Named>;

/**
 * Yields the pages of a list, each of which links to the next one.
 * @param pathOf the path of a link, from the address of the wiki.
 * @throws as `Reply.as` does, and if the pages repeat.
 */
export async function* everyPage<Entry>(
  api: Requests,
  first: string,
  entry: z.ZodType<Entry>,
  pathOf: (link: string) => string,
  signal: AbortSignal,
): AsyncGenerator<{ results: Entry[]; base: string | undefined }> {
  const page = z.object({ results: z.array(entry), _links: Links });
  const seen = new Set<string>();
  for (let path: string | undefined = first; path !== undefined; ) {
    if (seen.has(path)) throw new Error("Confluence repeats a page of its results. Try again later.");
    seen.add(path);
    const { results, _links }: z.infer<typeof page> = (await api.reply(path, { signal })).as(page);
    yield { results, base: _links.base };
    path = _links.next && pathOf(_links.next);
  }
}

const Links = z.object({ next: z.string().optional(), base: z.string().optional() }).default({});

/** Who may read the pages of a space, worked out with as few requests as the case needs. */
export interface ConfluenceRights {
  /** Everybody who may read a space. @throws an Error that says what to do if the API does not tell. */
  ofSpace(key: string, signal: AbortSignal): Promise<readonly Named[]>;
  /** Those who are named by each of the lists, themselves or by a group. */
  readers(lists: readonly (readonly Named[])[], signal: AbortSignal): Promise<Reader[]>;
}

/**
 * @param options.spaceReaders who may read every space, instead of asking.
 * @param options.pathOf the path of a link of the API, from the address of the wiki.
 */
export function confluenceRights(
  api: Requests,
  {
    isCloud,
    spaceReaders,
    pathOf,
  }: { isCloud: boolean; spaceReaders: readonly Reader[] | undefined; pathOf: (link: string) => string },
): ConfluenceRights {
  const cache = new Map<string, Promise<unknown>>();
  function once<Got>(name: string, get: () => Promise<Got>): Promise<Got> {
    const known = cache.get(name) ?? get();
    cache.set(name, known);
    return known as Promise<Got>;
  }

  const all = async <Entry>(path: string, entry: z.ZodType<Entry>, signal: AbortSignal): Promise<Entry[]> =>
    (await Array.fromAsync(everyPage(api, path, entry, pathOf, signal))).flatMap(({ results }) => results);

  const members = (group: Named, signal: AbortSignal) =>
    once(`members of ${idsOf(group)}`, async () => {
      const path = await pathOfGroup(group, signal);
      const found = new Map<string, Named>();
      // Until nobody new comes: a reply may have fewer than asked for, and no link to the next.
      for (let count = -1; count < found.size; ) {
        count = found.size;
        const reply = await api.reply(`${path}?limit=200&start=${count}`, { signal });
        for (const one of reply.as(Members).results) found.set(idsOf(one).join(), one);
      }
      return { found: [...found.values()], ids: new Set([...found.values()].flatMap(idsOf)) };
    });

  async function pathOfGroup({ id, name = "" }: Named, signal: AbortSignal): Promise<string> {
    if (!isCloud) return `/rest/api/group/${encodeURIComponent(name)}/member`;
    const byName = `/rest/api/group/by-name?name=${encodeURIComponent(name)}`;
    const known = id ?? (await api.reply(byName, { signal })).as(Named).id ?? "";
    return `/rest/api/group/${encodeURIComponent(known)}/membersByGroupId`;
  }

  /** True if the list names somebody, or a group that they are in. */
  async function isIn(list: readonly Named[], one: Named, signal: AbortSignal): Promise<boolean> {
    const ids = idsOf(one);
    if (list.some((other) => isEveryone(other) || idsOf(other).some((id) => ids.includes(id)))) return true;
    if (isGroup(one)) return false;
    for (const group of list.filter(isGroup)) {
      const inGroup = (await members(group, signal)).ids;
      if (ids.some((id) => inGroup.has(id))) return true;
    }
    return false;
  }

  /** Those of a list whom another one allows: a group as a whole if it can be, or else those of its members. */
  async function among(
    list: readonly Named[],
    other: readonly Named[],
    signal: AbortSignal,
  ): Promise<readonly Named[]> {
    if (list.some(isEveryone)) return other;
    const kept: Named[] = [];
    for (const one of list) {
      if (await isIn(other, one, signal)) kept.push(one);
      else if (isGroup(one)) {
        const { found } = await members(one, signal);
        const allowed: Named[] = [];
        for (const member of found) if (await isIn(other, member, signal)) allowed.push(member);
        kept.push(...(allowed.length === found.length ? [one] : allowed));
      }
    }
    return kept;
  }

  /** The names of somebody, of which an identity provider may know any. */
  async function readersFor(one: Named, signal: AbortSignal): Promise<Reader[]> {
    if (isEveryone(one)) return ["everyone"];
    const path = isGroup(one)
      ? one.name === undefined && `/rest/api/group/by-id?id=${encodeURIComponent(one.id ?? "")}`
      : isCloud
        ? one.email === undefined && `/rest/api/user?accountId=${encodeURIComponent(one.accountId ?? "")}`
        : one.username === undefined && `/rest/api/user?key=${encodeURIComponent(one.userKey ?? "")}`;
    const whole = path ? await once(path, async () => named(await api.reply(path, { signal }))) : undefined;
    const { name, email, username, accountId } = { ...one, ...whole };
    if (isGroup(one)) return name ? [`group:${name}`] : [];
    return [email, username, accountId].filter((name) => name).map((name) => `user:${name}` as const);
  }

  const named = (reply: Awaited<ReturnType<Requests["reply"]>>): Named => (reply.bytes ? reply.as(Named) : {});

  async function cloudSpace(key: string, signal: AbortSignal): Promise<Named[]> {
    const [space] = await all(`/api/v2/spaces?keys=${encodeURIComponent(key)}`, Space, signal);
    if (!space) throw new Error(`Confluence has no space ${key} that the token may read. Check \`spaces\`.`);
    if (spaceReaders) return spaceReaders.map(asNamed);
    const granted = await all(`/api/v2/spaces/${space.id}/permissions?limit=250`, CloudPermission, signal);
    return granted.flatMap(({ principal: { type, id }, operation: { key, targetType } }) => {
      if (key !== "read" || targetType !== "space") return [];
      if (type === "user") return [{ accountId: id }];
      if (type === "group") return [{ type, id }];
      return id === "anonymous-users" ? [EVERYONE] : [];
    });
  }

  async function centerSpace(key: string, signal: AbortSignal): Promise<Named[]> {
    const at = `/rest/api/space/${encodeURIComponent(key)}`;
    if (!(await api.bytes(at, { signal })))
      throw new Error(`Confluence has no space ${key} that the token may read. Check \`spaces\`.`);
    if (spaceReaders) return spaceReaders.map(asNamed);
    const granted = (await api.reply(`${at}/permissions`, { signal })).as(z.array(CenterPermission));
    return granted
      .filter(({ operation }) => operation.operationKey === "read" && operation.targetType === "space")
      .map(({ subject }) => subject ?? EVERYONE);
  }

  return {
    async ofSpace(key, signal) {
      try {
        return await (isCloud ? cloudSpace : centerSpace)(key, signal);
      } catch (error) {
        signal.throwIfAborted();
        const hint = "Who may read a space can also be stated as `spaceReaders`.";
        throw spaceReaders || !(error instanceof Error) ? error : new Error(`${error.message} ${hint}`);
      }
    },
    async readers(lists, signal) {
      const [first = [], ...others] = [...lists].reverse();
      let left: readonly Named[] = first;
      for (const other of others) left = await among(left, other, signal);
      const readers = await Promise.all(left.map((one) => readersFor(one, signal)));
      return [...new Set(readers.flat())];
    },
  };
}

const EVERYONE: Named = { type: "everyone" };
const isEveryone = ({ type }: Named) => type === EVERYONE.type;
const isGroup = ({ type }: Named) => type === "group";

/** What identifies somebody: replies name the same one by different things, and share at least one. */
const idsOf = ({ type, accountId, userKey, username, email, id, name }: Named): string[] =>
  Object.entries(isGroup({ type }) ? { id, name } : { accountId, userKey, username, email })
    .filter(([, value]) => value)
    .map(([key, value]) => `${key} ${value}`);

function asNamed(reader: Reader): Named {
  const [, kind, name = ""] = /^(user|group):(.*)$/s.exec(reader) ?? [];
  if (kind === "group") return { type: "group", name };
  return kind === "user" ? { email: name, username: name } : EVERYONE;
}

const Members = z.object({ results: z.array(Named) });
const Space = z.object({ id: z.union([z.string(), z.int()]).transform(String) });
const CloudPermission = z.object({
  principal: z.object({ type: z.string(), id: z.string() }),
  operation: z.object({ key: z.string(), targetType: z.string() }),
});
const CenterPermission = z.object({
  operation: z.object({ operationKey: z.string(), targetType: z.string() }),
  subject: Named.nullish(),
});
