import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { isReadable } from "../ingest/formats/registry.js";
import { check, exactly, type OptionsOf } from "../options.js";
import type { Reader } from "../types/reader.js";
import { accessTokens } from "./access-token.js";
import type { Connector, Listed } from "./port.js";
import { requests } from "./requests.js";

export interface DriveOptions {
  /** The key of a service account: its JSON file, or the content of that. It takes the place of `token`. */
  key?: string;
  /** The user in whose name the service account reads, if the domain delegates that. Default: in its own. */
  subject?: string;
  /** An access token with the scope `drive.readonly`, which is not renewed. */
  token?: string;
  /** The id of a shared drive. Default: all that is shared with the account is read. */
  drive?: string;
  /** The id of a folder; it and the folders in it are read. Default: all folders. */
  folder?: string;
  /**
   * The domain of the team, such as `example.org`. What everybody in it, or anybody, can find by searching Drive is then
   * readable for everyone; what needs its link is not. Default: such shares let nobody read.
   */
  domain?: string;
  /** The address of the API. Default `https://www.googleapis.com/drive/v3`. */
  url?: string;
}

const some = z.string().min(1);
const Given = exactly({
  key: some,
  subject: some,
  token: some,
  drive: some,
  folder: some,
  domain: some,
  url: some,
} satisfies OptionsOf<DriveOptions>).partial();

/**
 * The files in Google Drive that an account may see, in shared drives too. Docs, Sheets, Slides and drawings of Google are
 * exported as Word, Excel, PowerPoint and PDF. Files that emend does not read are left out. Readers are people and groups by
 * e-mail address. Google tells them only to accounts that may share a file.
 * @throws UsageError if an option is wrong.
 */
export function drive(options: DriveOptions): Connector {
  check(Given, options);
  const { drive: sharedDrive, folder, domain, url = "https://www.googleapis.com/drive/v3" } = options;
  const api = requests({ source: SOURCE, baseURL: url });
  const authorization = authorizationOf(options);

  const call = async (signal: AbortSignal) => ({ signal, headers: { authorization: await authorization(signal) } });

  async function get<T>(path: string, asked: Asked, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    return (await api.reply(`${path}?${queryOf(asked)}`, await call(signal))).as(schema);
  }

  async function* files(query: string, signal: AbortSignal): AsyncGenerator<File> {
    const where = sharedDrive ? { corpora: "drive", driveId: sharedDrive } : { corpora: "user" };
    const asked = {
      ...where,
      ...ALL_DRIVES,
      q: query,
      pageSize: "100",
      fields: LISTED,
      includeItemsFromAllDrives: "true",
    };
    for (let pageToken: string | undefined; ; ) {
      const page: z.infer<typeof Files> = await get("/files", { ...asked, pageToken }, Files, signal);
      // Without these the list would look whole, and what is missing would be removed.
      if (page.incompleteSearch || (pageToken !== undefined && page.nextPageToken === pageToken))
        throw new Error(`${SOURCE} could not list all files. Name a shared drive or a folder, or try again later.`);
      yield* page.files;
      if (page.nextPageToken === undefined) return;
      pageToken = page.nextPageToken;
    }
  }

  async function* everyFile(signal: AbortSignal): AsyncGenerator<File> {
    if (folder === undefined) return yield* files("trashed = false", signal);
    const folders = new Set([folder]);
    // The set grows on the way.
    for (const one of folders)
      for await (const file of files(`'${one.replace(/[\\']/g, "\\$&")}' in parents and trashed = false`, signal)) {
        if (file.mimeType === FOLDER) folders.add(file.id);
        yield file;
      }
  }

  /** Returns the permissions of a file in a shared drive, which the list does not hold. */
  async function permissionsOf(id: string, signal: AbortSignal): Promise<Permission[]> {
    const all: Permission[] = [];
    for (let pageToken: string | undefined; ; ) {
      const asked = { ...ALL_DRIVES, pageSize: "100", fields: `nextPageToken,permissions(${PERMISSION})`, pageToken };
      const page: z.infer<typeof Permissions> = await get(
        `/files/${encodeURIComponent(id)}/permissions`,
        asked,
        Permissions,
        signal,
      );
      all.push(...page.permissions);
      if (page.nextPageToken === undefined) return all;
      pageToken = page.nextPageToken;
    }
  }

  return {
    async *list({ signal }) {
      const inFolders = new Map<string, Permission[]>();
      const seen = new Set<string>();
      for await (const file of everyFile(signal)) {
        if (seen.has(file.id) || file.trashed || !nameOf(file)) continue;
        seen.add(file.id);
        const { parents: [parent] = [], hasAugmentedPermissions } = file;
        // A file without permissions of its own has those of its folder, like the others beside it.
        const shared = parent !== undefined && hasAugmentedPermissions === false ? parent : undefined;
        let permissions = file.permissions ?? inFolders.get(shared ?? "");
        if (!permissions && file.driveId !== undefined) permissions = await permissionsOf(file.id, signal);
        if (permissions && shared !== undefined) inFolders.set(shared, permissions);
        yield listed(file, permissions && readersBy(permissions, domain));
      }
    },
    async read({ id }, { signal }) {
      const path = `/files/${encodeURIComponent(id)}`;
      const about = await api.reply(
        `${path}?${queryOf({ ...ALL_DRIVES, fields: "id,name,mimeType,trashed" })}`,
        await call(signal),
      );
      if (!about.bytes) return undefined;
      const file = about.as(File);
      const name = nameOf(file);
      if (file.trashed || !name) return undefined;
      const exported = EXPORTS.get(file.mimeType)?.type;
      const address = exported
        ? `${path}/export?${queryOf({ mimeType: exported })}`
        : `${path}?${queryOf({ ...ALL_DRIVES, alt: "media" })}`;
      const bytes = await api.bytes(address, await call(signal));
      return bytes && { name, bytes };
    },
  };
}

const SOURCE = "Google Drive";
const FOLDER = "application/vnd.google-apps.folder";
const ALL_DRIVES = { supportsAllDrives: "true" };

const OFFICE = "application/vnd.openxmlformats-officedocument";
const DOCX = { type: `${OFFICE}.wordprocessingml.document`, extension: "docx" };
const XLSX = { type: `${OFFICE}.spreadsheetml.sheet`, extension: "xlsx" };
const PPTX = { type: `${OFFICE}.presentationml.presentation`, extension: "pptx" };
const PDF = { type: "application/pdf", extension: "pdf" };

/** What documents of Google's own kinds are exported as. Others, such as forms, have no text to export. */
const EXPORTS: ReadonlyMap<string, { type: string; extension: string }> = new Map([
  ["application/vnd.google-apps.document", DOCX],
  ["application/vnd.google-apps.spreadsheet", XLSX],
  ["application/vnd.google-apps.presentation", PPTX],
  ["application/vnd.google-apps.drawing", PDF],
]);

/** The extensions of files whose names have none, as Drive allows. */
const BY_TYPE: ReadonlyMap<string, string> = new Map(
  [
    DOCX,
    XLSX,
    PPTX,
    PDF,
    { type: "text/plain", extension: "txt" },
    { type: "text/markdown", extension: "md" },
    { type: "text/html", extension: "html" },
    { type: "text/csv", extension: "csv" },
  ].map(({ type, extension }) => [type, extension]),
);

/** Returns the name that a file is read by, or undefined if it is not read. */
function nameOf({ name, mimeType }: File): string | undefined {
  const exported = EXPORTS.get(mimeType);
  if (exported) return `${name}.${exported.extension}`;
  if (mimeType.startsWith("application/vnd.google-apps.")) return undefined;
  if (isReadable(name)) return name;
  const extension = BY_TYPE.get(mimeType);
  return extension && `${name}.${extension}`;
}

const listed = (file: File, readers: readonly Reader[] | undefined): Listed => ({
  id: file.id,
  version: file.md5Checksum ?? file.modifiedTime,
  // A document of Google's has no other title. Those of files are in them.
  title: EXPORTS.has(file.mimeType) ? file.name : undefined,
  url: file.webViewLink,
  changedAt: file.modifiedTime,
  readers,
  metadata: { file: file.name, author: file.owners?.map(({ displayName }) => displayName) },
});

/** Returns who may read a file: any role lets somebody read. */
function readersBy(permissions: readonly Permission[], team: string | undefined): Reader[] {
  const readers = permissions.flatMap((permission): Reader[] => {
    const { type, emailAddress, domain, allowFileDiscovery, deleted, view, expirationTime } = permission;
    // A view shows only a published copy, or only that there is a file.
    if (deleted || view || (expirationTime && Date.parse(expirationTime) < Date.now())) return [];
    if (type === "user" || type === "group") return emailAddress ? [`${type}:${emailAddress}`] : [];
    // Without discovery only those who were sent the link find it.
    if (allowFileDiscovery !== true) return [];
    const isTeam = team !== undefined && (type === "anyone" || (type === "domain" && domain === team));
    return isTeam ? ["everyone"] : [];
  });
  return [...new Set(readers)];
}

function authorizationOf({ key, subject, token }: DriveOptions): (signal: AbortSignal) => Promise<string> {
  if (key === undefined) {
    if (token === undefined) throw new UsageError("Google Drive: give the key of a service account, or a token.");
    return async () => `Bearer ${token}`;
  }
  let tokens: Promise<(signal: AbortSignal) => Promise<string>> | undefined;
  return async (signal) => {
    tokens ??= accountOf(key).then((account) =>
      accessTokens({ source: "Google's sign-in", address: account.token_uri, form: () => formOf(account, subject) }),
    );
    return (await tokens)(signal);
  };
}

async function formOf({ client_email, private_key, private_key_id, token_uri }: Account, subject: string | undefined) {
  const secret = await importPKCS8(private_key, "RS256").catch(() => {
    throw new UsageError(NO_KEY);
  });
  const jwt = new SignJWT({ scope: "https://www.googleapis.com/auth/drive.readonly", ...(subject && { sub: subject }) })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(private_key_id && { kid: private_key_id }) })
    .setIssuer(client_email)
    .setAudience(token_uri)
    .setIssuedAt()
    .setExpirationTime("1h");
  return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: await jwt.sign(secret) };
}

/** Does not repeat the key, which is secret. */
async function accountOf(key: string): Promise<Account> {
  const isContent = key.trimStart().startsWith("{");
  if (!isContent && !existsSync(key)) throw new UsageError(NO_FILE);
  try {
    const json = isContent ? key : await readFile(key, "utf8");
    return Account.parse(JSON.parse(json));
  } catch {
    throw new UsageError(NO_KEY);
  }
}

const NO_FILE = "Google Drive: there is no file at the path in `key`. Name the JSON file of a service account.";
const NO_KEY =
  "Google Drive: the key must be the JSON file of a service account, or its content, with client_email and private_key.";

const Account = z.object({
  client_email: some,
  private_key: some,
  private_key_id: some.optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default("https://oauth2.googleapis.com/token"),
});
type Account = z.infer<typeof Account>;

type Asked = Readonly<Record<string, string | undefined>>;

const queryOf = (asked: Asked) =>
  Object.entries(asked)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&");

const PERMISSION = "type,emailAddress,domain,allowFileDiscovery,deleted,view,expirationTime";
const LISTED = `nextPageToken,incompleteSearch,files(id,name,mimeType,trashed,md5Checksum,modifiedTime,webViewLink,parents,driveId,hasAugmentedPermissions,owners(displayName),permissions(${PERMISSION}))`;

const Permission = z.object({
  type: z.string(),
  emailAddress: z.string().optional(),
  domain: z.string().optional(),
  allowFileDiscovery: z.boolean().optional(),
  deleted: z.boolean().optional(),
  view: z.string().optional(),
  expirationTime: z.string().optional(),
});
type Permission = z.infer<typeof Permission>;

const Permissions = z.object({ permissions: z.array(Permission), nextPageToken: some.optional() });

const File = z.object({
  id: some,
  name: z.string().default(""),
  mimeType: z.string(),
  trashed: z.boolean().optional(),
  md5Checksum: some.optional(),
  modifiedTime: some.optional(),
  webViewLink: some.optional(),
  parents: z.array(some).optional(),
  driveId: some.optional(),
  hasAugmentedPermissions: z.boolean().optional(),
  owners: z.array(z.object({ displayName: z.string().optional() })).optional(),
  permissions: z.array(Permission).optional(),
});
type File = z.infer<typeof File>;

const Files = z.object({
  files: z.array(File),
  nextPageToken: some.optional(),
  incompleteSearch: z.boolean().optional(),
});
