import { z } from "zod";

/**
 * English, Chinese, or any other language. Every stage supports English and Chinese equally. Rules about words do not
 * apply to "other": it is read by its script and numbers, and by the encoder.
 */
export const Language = z.enum(["en", "zh", "other"]);
export type Language = z.infer<typeof Language>;
