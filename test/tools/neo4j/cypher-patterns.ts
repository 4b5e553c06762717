import fc from "fast-check";

/** Patterns that people and models commonly write after =~. */
export const NATURAL: readonly string[] = [
  "(?i).*tom.*",
  "^A.*",
  "^A.*$",
  "(?i)tom|thomas",
  ".*张.*",
  "张.+",
  "(?i).*tom.*hanks.*",
  "(?i).*auth.*|.*authenticate.*|.*verify.*",
  ".+02-29",
  ".*\\.com",
  "https://.*",
  "Mr\\. .*",
];

/** Patterns that are more than words with gaps, and are refused even if they are harmless. */
export const OTHERS: readonly string[] = [
  ".*(张|李)伟.*",
  "[\\u4e00-\\u9fa5]+",
  "(?i).*(async|await).*",
  ".*\\bAgni\\b.*",
  ".*\\d+.*",
  "[A-Z]{2}\\d{3}",
  "(?s).*first.*second.*",
  "\\\\.*a",
  "a\\",
];

/** Patterns that make a backtracking matcher run for ever, from the literature and public advisories. */
export const EXPONENTIAL: readonly string[] = [
  "(a+)+",
  "(a*)*b",
  "([a-zA-Z]+)*",
  "(a|aa)+",
  "(a|a?)+",
  "(.*a){20}",
  "(.*)*",
  "(.*?,){11}P",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(x+x+)+y",
  "(\\w|\\d)+x",
  "(\\S+\\s*)+",
  "^(?:a|ab|b)*c$",
  "(?:a{0,1000}){1000}",
  "(?=(a+))a*b\\1+",
  "(.+)\\1+",
  "(?<x>.+)\\k<x>",
  "((((a*)*)*)*)*b",
  `${"(?:(?:a?)?)?".repeat(12)}(a+)?+b`,
  "a?".repeat(27) + "a".repeat(45),
  "(a|a)".repeat(28),
  "(a|a|a|a|a|a)".repeat(9),
  "(?:a|b|ab)?".repeat(12),
  "(a?|b?)?".repeat(12),
  "[ab]?".repeat(30),
  "a{0,9}".repeat(9),
  "a{0,1000}a{0,1000}a{0,1000}b",
  "a{1,}a{1,}a{1,}b",
  "a*a*b",
  "\\s*\\s*x",
  "\\w*\\d*x",
  "[a-z]+[a-z]+1",
  "a++a*+a*a*b",
  "(.*a.*)",
  "x(.*a)?(.*b)?(.*c)?",
  ".*\n.*x.*",
  ".*(a|bc).*d",
  ".*\\s+.*",
  `.*${"a".repeat(3_000)}`,
];

const piece = fc.constantFrom("a", "a", "b", "张", ".", "\\.", "-", " ", "1", "B", ".*", ".*", ".*", ".+");
/** Random patterns that the guard accepts. */
export const pattern = fc
  .tuple(
    fc.constantFrom("", "(?i)"),
    fc.array(fc.array(piece, { maxLength: 8 }), { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", "^"),
    fc.constantFrom("", "$"),
  )
  .map(([flags, alternatives, start, end]) => {
    const texts = alternatives.map((pieces) => start + pieces.join("") + end);
    return flags + texts.join("|");
  });
/** Characters of the texts to match. */
export const character = fc.constantFrom("a", "a", "a", "b", "c", "张", "1", " ", "-", ".", "\n", "B", "\u0301");
export const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(""));
