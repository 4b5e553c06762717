/** What a million tokens cost, in US dollars or any other currency. */
export interface Price {
  input: number;
  output: number;
}

/** What these tokens cost, in the currency of the price. Cached tokens cost as much as others. */
export const costOf = (tokens: { inputTokens: number; outputTokens: number }, price: Price): number =>
  (tokens.inputTokens * price.input + tokens.outputTokens * price.output) / 1e6;

/** Reads a price such as "0.15/0.60"; one number counts for both. Undefined if it is no price. */
export function priceIn(text: string): Price | undefined {
  const [, input, output = input] = /^(\d{1,9}(?:\.\d{1,9})?)(?:\/(\d{1,9}(?:\.\d{1,9})?))?$/.exec(text.trim()) ?? [];
  return input === undefined ? undefined : { input: Number(input), output: Number(output) };
}

/** Formats an amount of US dollars, with three digits if it is small: $12.50, $0.000123. */
export const dollars = (amount: number, language = "en"): string =>
  new Intl.NumberFormat(language, {
    ...{ style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
    ...(amount > 0 && amount < 0.1 && { maximumSignificantDigits: 3 }),
  }).format(amount);
