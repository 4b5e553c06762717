import { z } from "zod";
import { faultsIn } from "../options.js";
import type { Reader } from "./port.js";

/** Returns what a source sent, in the shape that is expected. @throws Error that says what is wrong, without values. */
export function checked<T>(source: string, schema: z.ZodType<T>, sent: unknown): T {
  const { data, error } = schema.safeParse(sent);
  if (error) throw new Error(`${source} sent something unexpected. ${faultsIn(error, "The reply")}`);
  return data as T;
}

export const AReader = z.custom<Reader>(
  (given) => typeof given === "string" && /^(?:everyone$|(?:user|group):.)/s.test(given),
  { error: "must be everyone, user:NAME or group:NAME" },
);
