import { z } from "zod";

/** Why a claim has its verdict, or is withdrawn: a code, and the values that its sentence in `reasonInWords` names. */
export const ClaimReason = z.discriminatedUnion("code", [
  z.object({
    code: z.enum([
      "not_computed",
      "not_verbatim",
      "beside_the_point",
      "denies_source",
      "excepted",
      "left_out",
      "no_source",
      "no_statement",
      "only_planned",
      "quote_not_found",
      "quote_silent",
      "read_with_doubt",
      "source_denies",
      "stated",
      "unchecked",
    ]),
  }),
  /** A number of characters. */
  z.object({ code: z.literal("too_long"), limit: z.number() }),
  /** By the judge: the probability that the source states it, or contradicts it, 0 to 1. */
  z.object({ code: z.enum(["judged", "judged_otherwise"]), probability: z.number() }),
  /** The share of the claim's words that the nearest sentences have, 0 to 1. */
  z.object({ code: z.literal("shared_words"), share: z.number() }),
  /** Words of the claim that the source does not have at that place; or its addresses, pictures and tags. */
  z.object({ code: z.enum(["not_mentioned", "added"]), missing: z.array(z.string()) }),
  /** Words of the claim: an amount whose unit the source does not have, or words that go further than the source. */
  z.object({ code: z.enum(["other_unit", "overstated"]), words: z.string() }),
  /** A name. */
  /** Words of the source, and those that the claim has instead. */
  z.object({ code: z.enum(["says_otherwise", "of_another"]), source: z.string(), claim: z.string() }),
  /** Words of the claim that the source has in different places, or the other way round. */
  z.object({ code: z.enum(["apart", "exchanged"]), first: z.string(), second: z.string() }),
  /** The words of a model, or of a checker of your own. */
  z.object({ code: z.literal("own"), words: z.string() }),
]);
export type ClaimReason = z.infer<typeof ClaimReason>;
