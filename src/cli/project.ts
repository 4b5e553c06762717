import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { CollectionForm, collectionsOf } from "../collections.js";
import { UsageError } from "../errors.js";
import { isAddress } from "../ingest/ingest-pages.js";
import { readText } from "../ingest/load.js";
import { Readers } from "../ingest/stamp.js";
import { exactly, faultsIn } from "../options.js";
import { LoaderSource } from "../sync/loader-source.js";
import { jsonOf } from "../text/decode.js";
import { AlertRule } from "../tools/runs/alerts.js";

const Address = z.string().refine((text) => isAddress(text) && URL.canParse(text), { error: "must be an address" });

/** Where an alert goes. */
const Destination = z.union(
  [exactly({ slack: Address }), exactly({ webhook: Address }), exactly({ command: z.array(z.string()).min(1) })],
  { error: 'must be {"slack": an address}, {"webhook": an address} or {"command": [a program, its arguments…]}' },
);
export type Destination = z.infer<typeof Destination>;

/** Each kind of source by the key that only it has. */
const KINDS = {
  path: exactly({ path: z.string().regex(/\S/), readers: Readers.optional() }),
  sitemap: exactly({ sitemap: Address, readers: Readers.optional() }),
  site: exactly({ site: Address, limit: z.int().min(1).optional(), readers: Readers.optional() }),
  loader: LoaderSource,
};
type Source = string | z.infer<(typeof KINDS)[keyof typeof KINDS]>;

/** A source as a schema. An object is checked as the kind that its key tells, so that its faults are named. */
const Source = z.unknown().transform((given, context): Source => {
  if (typeof given === "string" && /\S/.test(given)) return given;
  const object = typeof given === "object" && given !== null ? given : {};
  const kind = Object.entries(KINDS).find(([key]) => Object.hasOwn(object, key))?.[1];
  const parsed = kind?.safeParse(given);
  if (parsed?.success) return parsed.data;
  const faults = parsed?.error.issues ?? [{ path: [], message: ONE_OF }];
  for (const { path, message } of faults) context.addIssue({ code: "custom", path, message });
  return z.NEVER;
});
const ONE_OF =
  'must be a path, a glob, an address, {"path": one of these}, {"sitemap": an address}, {"site": an address} or {"loader": a module}';

const Sources = z.array(Source, { error: "must be a list" }).min(1, { error: "must name at least one source" });

const Collections = collectionsOf(CollectionForm.extend({ readers: Readers.optional(), sources: Sources.optional() }));

const Project = exactly(
  {
    title: z.string().optional(),
    description: z.string().optional(),
    sources: Sources.optional(),
    collections: Collections.optional(),
    alerts: exactly({ rules: z.array(AlertRule).min(1), to: z.array(Destination).default([]) }).optional(),
  },
  'must be an object with "sources", "collections" or "alerts"',
);
type Project = z.infer<typeof Project>;

/** An example of each part. */
const EXAMPLES = {
  sources: '{"sources": ["docs", "notes/**/*.md", "https://example.org/sitemap.xml"]}',
  collections: '{"collections": {"hr": {"title": "HR", "sources": ["docs/hr"], "readers": ["group:hr"]}}}',
  alerts:
    '{"alerts": {"rules": [{"metric": "refused", "above": 0.4}], "to": [{"slack": "https://hooks.slack.com/…"}]}}',
};

/** A source, with the collection that its documents belong to, and who may read those whose source does not say it. */
export interface Placed {
  source: Source;
  collection: string | undefined;
  readers: readonly string[] | undefined;
}

/**
 * Reads the sources in `emend.json`, or in the file named instead, and the folder that it is in.
 * @throws UsageError if there is no such file or source, or the file is invalid.
 */
export async function projectSources(named: string | undefined): Promise<{ sources: Placed[]; folder: string }> {
  const sources = placedIn(await projectWith("sources", named));
  if (sources.length === 0) throw new UsageError(`${named ?? FILE} has no "sources". ${adviceOn("sources")}`);
  return { sources, folder: dirname(resolve(named ?? FILE)) };
}

/** Returns all sources of a project, those of its collections included. */
export function placedIn({ sources, collections }: Project): Placed[] {
  const placed = (source: Source, collection?: string, usual?: readonly string[]): Placed => ({
    source,
    collection,
    readers: (typeof source !== "string" && source.readers) || usual,
  });
  return [
    ...(sources ?? []).map((source) => placed(source)),
    ...Object.entries(collections ?? {}).flatMap(([name, { sources = [], readers }]) =>
      sources.map((source) => placed(source, name, readers)),
    ),
  ];
}

/**
 * Reads the alerts in `emend.json`, or in the file named instead.
 * @throws UsageError if there is no such file or no alert, or the file is invalid.
 */
export async function projectAlerts(named: string | undefined) {
  const { alerts } = await projectWith("alerts", named);
  if (!alerts) throw new UsageError(`${named ?? FILE} has no "alerts". ${adviceOn("alerts")}`);
  return alerts;
}

async function projectWith(part: keyof typeof EXAMPLES, named: string | undefined): Promise<Project> {
  const project = await readProject(named);
  if (!project) throw new UsageError(`There is no ${FILE} here. ${adviceOn(part)}`);
  return project;
}

const adviceOn = (part: keyof typeof EXAMPLES) => `Write one, such as ${EXAMPLES[part]}, or name a file with --config.`;

const FILE = "emend.json";

/**
 * Reads `emend.json`, or the file named instead. Undefined if there is no `emend.json`.
 * @throws UsageError if the file cannot be read or is invalid.
 */
export async function readProject(named?: string): Promise<Project | undefined> {
  const name = named ?? FILE;
  if (named === undefined && !existsSync(name)) return undefined;
  const parsed = Project.safeParse(jsonOf(await readText(resolve(name)), name));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const part = (["alerts", "collections"] as const).find((name) => issues.some(({ path }) => path[0] === name));
  const example = issues.every(({ path }) => path[0] === "sources" && path.length > 2)
    ? ""
    : ` It looks like ${EXAMPLES[part ?? "sources"]}`;
  throw new UsageError(`${name}: ${faultsIn(parsed.error, "it")}${example}`);
}
