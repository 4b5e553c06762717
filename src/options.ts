import { z } from "zod";
import { UsageError } from "./errors.js";

/** A schema of an object that has no other keys. An unknown key is an issue that names the nearest known one. */
export const exactly = <Shape extends z.core.$ZodLooseShape>(shape: Shape, error?: string) =>
  z.strictObject(shape, { error: (issue) => unknownIn(issue) ?? error });

/** The options of an interface as schemas: one for each, none besides. */
export type OptionsOf<Given> = Readonly<Record<keyof Given, z.ZodType>>;

/** @throws UsageError that says what is wrong with a value, without showing it. */
export function check(schema: z.ZodType, given: unknown): void {
  const { error } = schema.safeParse(given);
  if (error) throw new UsageError(faultsIn(error));
}

/**
 * A schema that accepts what passes the test, and of the rest what the other schema accepts. It leaves the value as it is,
 * without the defaults of the other.
 */
export const unless = (passes: (given: unknown) => boolean, schema: z.ZodType) =>
  z.unknown().check(({ value, issues }) => {
    if (!passes(value)) issues.push(...(schema._zod.run({ value, issues: [] }, {}) as z.core.ParsePayload).issues);
  });

/** A schema of a part: an object with these methods, which may have others. */
export const part = <Part>(...methods: (keyof Part & string)[]): z.ZodType<Part> =>
  z.custom<Part>((given) => methods.every((method) => hasMethod(given, method)), {
    error: `must be an object with the function ${methods.map(quoted).join(", ")}`,
  });

/** False also for a text or a number, whose type has methods. */
export const hasMethod = (given: unknown, method: string): boolean =>
  typeof given === "object" && given !== null && typeof Reflect.get(given, method) === "function";

/** A whole number from `least`. */
export const aCount = (least = 0) => z.number().int().min(least);

/** The origin of a web page, such as `https://www.example.org`. */
export const anOrigin = z
  .string()
  .refine((text) => /^https?:\/\/[a-z\d.-]+(?::\d+)?$/.test(text) && URL.parse(text)?.origin === text, {
    error: "must be origins such as https://www.example.org, each without a path",
  });

/** A web address that others can be put behind, without a password. */
export const anAddress = z.string().refine((text) => /^https?:\/\/[^\s?#@]+$/i.test(text) && URL.canParse(text), {
  error: "must be a web address, such as https://emend.example.org",
});

export const aFunction = z.custom<(...given: never[]) => unknown>((given) => typeof given === "function", {
  error: "must be a function",
});

export const aSignal = z.custom<AbortSignal>((given) => hasMethod(given, "throwIfAborted"), {
  error: "must be an AbortSignal",
});

/** Says what is wrong with a value, in a sentence for each of the first faults. `whole` names the value itself. */
export const faultsIn = ({ issues }: z.core.$ZodError, whole = "options"): string =>
  issues
    .slice(0, MAX_FAULTS_NAMED)
    .map(({ code, path, message }) => {
      if (code === "unrecognized_keys") return message;
      if (path.length === 0) return `${whole}: ${message}`;
      const said = NOT_GIVEN.test(message) ? "must be given" : message.replace(EMPTY, "must not be empty");
      return `${z.core.toDotPath(path)}: ${said}`;
    })
    .map((sentence) => sentence.replace(/(?<![.?])$/, "."))
    .join(" ");

const MAX_FAULTS_NAMED = 5;
/** As zod says it. */
const NOT_GIVEN = /^Invalid input: expected .*, received undefined$/;
const EMPTY = "Too small: expected string to have >=1 characters";

function unknownIn(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== "unrecognized_keys") return undefined;
  const known = issue.inst instanceof z.core.$ZodObject ? Object.keys(issue.inst._zod.def.shape) : [];
  return issue.keys
    .slice(0, MAX_FAULTS_NAMED)
    .map((key) => {
      const meant = nearest(key, known);
      const place = z.core.toDotPath([...(issue.path ?? []), key.slice(0, MAX_NAME_LENGTH)]);
      return `Unknown option ${quoted(place)}. ${meant ? `Did you mean ${quoted(meant)}?` : `The options are ${known.map(quoted).join(", ")}.`}`;
    })
    .join(" ");
}

const quoted = (name: string) => `\`${name}\``;

/** In characters. */
const MAX_NAME_LENGTH = 50;

/**
 * Returns the known name that was probably meant, in any case and with or without `_` and `-`: one that begins with the
 * name, or that is a few typing errors away. Undefined if none is near.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const typed = bare(name);
  const near = known.flatMap((other) => {
    const meant = bare(other);
    const distance = typed.length > 2 && meant.startsWith(typed) ? 1 : editDistance(typed, meant);
    return distance <= Math.min(3, Math.max(1, Math.floor(meant.length / 3))) ? { other, distance } : [];
  });
  return near.sort((a, b) => a.distance - b.distance)[0]?.other;
}

const bare = (name: string) => name.toLowerCase().replace(/[_-]/g, "");

/** Counts letters that are added, left out, replaced, or swapped with their neighbour (optimal string alignment). */
export function editDistance(typed: string, key: string): number {
  const [a, b] = [[...typed], [...key]];
  let before: number[] = [];
  let row = [0, ...b.map((_, j) => j + 1)];
  a.forEach((letter, i) => {
    const next = [i + 1];
    b.forEach((other, j) => {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other;
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, swapped));
    });
    [before, row] = [row, next];
  });
  return row.at(-1) ?? 0;
}
