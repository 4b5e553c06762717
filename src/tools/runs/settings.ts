import { z } from "zod";
import { aCount, exactly, type OptionsOf } from "../../options.js";
import { type Price, priceIn } from "../../types/price.js";

export interface RunsSettings {
  /**
   * Keep a record of every run in the store: "on", "hashed" (with a hash instead of the question) or "off". Default
   * "on".
   */
  runs?: "on" | "hashed" | "off" | undefined;
  /** Days that the record of a run is kept. Default 90. */
  runDays?: number | undefined;
  /** What a million tokens cost in US dollars, for the cost of recorded runs. Default: no cost is shown. */
  price?: Price | undefined;
}

const Runs = z.enum(["on", "hashed", "off"], { error: "must be on, hashed or off" });

/** Not beside the type, which the page loads without a parser. */
export const A_PRICE: z.ZodType<Price> = exactly({ input: z.number().min(0), output: z.number().min(0) });

export const runsOptions = { runs: Runs, runDays: aCount(1), price: A_PRICE } satisfies OptionsOf<RunsSettings>;

export const runsVariables = {
  EMEND_RUNS: Runs.optional(),
  EMEND_RUN_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: "must be a whole number of days from 1" })
    .optional(),
  EMEND_PRICE: z
    .string()
    .transform((text, { addIssue }) => {
      const price = priceIn(text);
      if (!price) addIssue("must be the price of a million input and output tokens, such as 0.15/0.60");
      return price;
    })
    .optional(),
};

export const runsSettings = (options: RunsSettings, env: z.infer<z.ZodObject<typeof runsVariables>>): RunsSettings => ({
  runs: options.runs ?? env.EMEND_RUNS,
  runDays: options.runDays ?? (env.EMEND_RUN_DAYS ? Number(env.EMEND_RUN_DAYS) : undefined),
  price: options.price ?? env.EMEND_PRICE,
});
