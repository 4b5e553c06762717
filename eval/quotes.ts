/** Whether a quote stands word for word in a source: white space folded, nothing else forgiven. Shares no code with the product. */
export function standsIn(source: string, quote: string): boolean {
  const wanted = folded(quote);
  return wanted !== "" && folded(source).indexOf(wanted) >= 0;
}

const folded = (text: string) => text.replace(/\s+/g, " ").trim();
