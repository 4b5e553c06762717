import type { Checker } from "../port.js";

/** What the deterministic checks left in doubt is unsupported: without a model, doubt is decided against the claim. */
export function localChecker(): Checker {
  return {
    check: async ({ claims, language }) =>
      claims.map(() => ({ verdict: "unsupported" as const, reason: REASON[language] })),
  };
}

const REASON = {
  en: "The quotes do not say it in these words, and no model is there to judge others.",
  zh: "引文没有这样写，也没有模型来判断别的说法。",
};
