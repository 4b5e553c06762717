/**
 * Returns the character that a font of symbols shows for a code, as in Word's `w:sym`; empty for a mere ornament, and
 * undefined for a font of letters. Boxes become ☐, ☑ and ☒.
 */
export function symbol(font: string, code: number): string | undefined {
  const shown = FONTS.get(font.toLowerCase());
  return shown && (shown[code & 0xff] ?? "");
}

/** Writes letters in a font of symbols as what they show; those of other fonts, and ornaments, stay. */
export const inFont = (font: string, text: string): string =>
  FONTS.has(font.toLowerCase())
    ? [...text].map((letter) => symbol(font, letter.codePointAt(0) ?? 0) || letter).join("")
    : text;

/** Returns a table of characters by their codes, from pieces of consecutive ones. */
const byCode = (...pieces: readonly (readonly [first: number, characters: string])[]): readonly string[] => {
  const table: string[] = [];
  for (const [first, characters] of pieces)
    [...characters].forEach((character, i) => {
      table[first + i] = character;
    });
  return table;
};

const FONTS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "symbol",
    byCode(
      [0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"],
      [0xa0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"],
      [0xf1, "〉∫"],
    ),
  ],
  [
    "wingdings",
    byCode(
      [0x20, " "],
      [0x6c, "●"],
      [0x6e, "■☐"],
      [0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"],
      [0xa7, "▪☐"],
      [0xdf, "←→↑↓"],
      [0xe7, "←→↑↓"],
      [0xfb, "✗✓☒☑"],
    ),
  ],
  ["wingdings 2", byCode([0x20, " "], [0x4f, "✗✓☒☑☒☒"], [0x6a, "①②③④⑤⑥⑦⑧⑨⑩"], [0xa3, "☐"])],
  ["wingdings 3", byCode([0x20, " "], [0x66, "←→↑↓"])],
  ["webdings", byCode([0x20, " "], [0x61, "✓"], [0x63, "☐"], [0x72, "✗"])],
]);
