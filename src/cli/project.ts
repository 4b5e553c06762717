import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { UsageError } from "../errors.js";
import { isAddress } from "../ingest/ingest-pages.js";
import { readText } from "../ingest/load.js";
import { exactly, faultsIn } from "../options.js";
import { jsonOf } from "../text/decode.js";
import { AlertRule } from "../tools/runs/alerts.js";

const Address = z.string().refine((text) => isAddress(text) && URL.canParse(text), { error: "must be an address" });

/** Where an alert goes. */
const Destination = z.union(
  [exactly({ slack: Address }), exactly({ webhook: Address }), exactly({ command: z.array(z.string()).min(1) })],
  { error: 'must be {"slack": an address}, {"webhook": an address} or {"command": [a program, its arguments…]}' },
);
export type Destination = z.infer<typeof Destination>;

const Project = exactly(
  {
    sources: z
      .array(
        z.union(
          [
            z.string().regex(/\S/),
            exactly({ sitemap: Address }),
            exactly({ site: Address, limit: z.int().min(1).optional() }),
          ],
          { error: 'must be a path, a glob, an address, {"sitemap": an address} or {"site": an address}' },
        ),
        { error: "must be a list" },
      )
      .min(1, { error: "must name at least one source" })
      .optional(),
    alerts: exactly({ rules: z.array(AlertRule).min(1), to: z.array(Destination).default([]) }).optional(),
  },
  'must be an object with "sources", "alerts" or both',
);
type Project = z.infer<typeof Project>;

/** An example of each part. */
const EXAMPLES = {
  sources: '{"sources": ["docs", "notes/**/*.md", "https://example.org/sitemap.xml"]}',
  alerts:
    '{"alerts": {"rules": [{"metric": "refused", "above": 0.4}], "to": [{"slack": "https://hooks.slack.com/…"}]}}',
};

/**
 * Reads one part of `emend.json`, or of the file named instead, and the folder that it is in.
 * @throws UsageError if there is no such file or part, or the file is invalid.
 */
export async function projectPart<Part extends keyof Project>(part: Part, named: string | undefined) {
  const project = await readProject(named);
  const advice = `Write one, such as ${EXAMPLES[part]}`;
  if (!project) throw new UsageError(`There is no emend.json here. ${advice}, or name a file with --config.`);
  const value = project[part];
  if (!value) throw new UsageError(`${named ?? "emend.json"} has no "${part}". ${advice}`);
  return { value: value as NonNullable<Project[Part]>, folder: dirname(resolve(named ?? "emend.json")) };
}

/**
 * Reads `emend.json`, or the file named instead. Undefined if there is no `emend.json`.
 * @throws UsageError if the file cannot be read or is invalid.
 */
export async function readProject(named?: string): Promise<Project | undefined> {
  const name = named ?? "emend.json";
  if (named === undefined && !existsSync(name)) return undefined;
  const parsed = Project.safeParse(jsonOf(await readText(resolve(name)), name));
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const part = issues.some(({ path }) => path[0] === "alerts") ? "alerts" : "sources";
  throw new UsageError(`${name}: ${faultsIn(parsed.error, "it")} It looks like ${EXAMPLES[part]}`);
}
