import fc from "fast-check";

/** What people and models write after =~. */
export const NATURAL: readonly string[] = [
  "(?i).*tom.*",
  "^A.*",
  "^A.*$",
  "(?i)tom|thomas",
  "(?i)^(tom|thomas)$",
  ".*张.*",
  "张.+",
  ".*(张|李)伟.*",
  "[\\u4e00-\\u9fa5]+",
  ".*[一-龥]{2,4}.*",
  ".*\\p{IsHan}+.*",
  "(?i).*tom.*hanks.*",
  "(?i).*auth.*|.*authenticate.*|.*verify.*",
  "(?i).*(async|await|performance|refactor|database).*",
  "(?i).*\\b(Ms\\.|Miss|Mrs\\.|Frau|Fräulein|Mademoiselle|Madame|Señora|Señorita|Doña)\\b.*",
  ".*\\bAgni\\b.*",
  ".*[Hh][Ii][Vv].*",
  "^[\\w]+$",
  ".+02-29",
  ".*\\.com",
  ".*\\d+.*",
  ".*\\s.*",
  ".*[^a-zA-Z].*",
  ".*\\s(Ms\\.|Mrs\\.|Miss).*",
  "[A-Z]{2}\\d{3}",
  "\\d{4}-\\d{2}-\\d{2}",
  "\\d+\\.\\d+",
  "[A-Z][a-z]+ [A-Z][a-z]+",
  "[^,]+, .*",
  "[\\w.%+-]+@[\\w-]+\\.[a-z]{2,}",
  "(Mr|Mrs|Dr)\\.? .*",
  "https?://.*",
  "(?s).*first.*second.*third.*",
];

/** Known to take a backtracking matcher for ever, from the literature and from public advisories, and their kin. */
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

/** All that can stand for one character, with what may or may not end a line in it. */
const one = fc.constantFrom(
  "a",
  "b",
  "张",
  ".",
  "\\d",
  "\\w",
  "\\s",
  "\\S",
  "[ab]",
  "[^a]",
  "[a-c\\n]",
  "\\.",
  "-",
  "\n",
  "1",
);
const repeat = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "??");
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(one, repeat).map(([what, often]) => what + often) },
  { weight: 3, arbitrary: fc.constantFrom(".*", ".*", ".+", ".*?") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "^",
      "$",
      "\\b",
      "\\ba",
      "b\\b",
      "\\B[ab]",
      "\\b(a|bb)",
      "(a|ab)",
      "(?:b|a|)?",
      "(a.*|b)",
    ),
  },
);
/** Any pattern, bounded or not. */
export const pattern = fc
  .tuple(
    fc.constantFrom("", "(?i)", "(?s)"),
    fc.array(fc.array(piece, { maxLength: 6 }), { minLength: 1, maxLength: 2 }),
  )
  .map(([flags, alternatives]) => flags + alternatives.map((pieces) => pieces.join("")).join("|"));
/** What texts for them are made of. */
export const character = fc.constantFrom("a", "a", "a", "b", "c", "张", "1", " ", "-", ".", "\n", "B", "\u0301");
export const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(""));
