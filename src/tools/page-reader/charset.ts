/**
 * The text of a page in whatever encoding it came: by its byte order mark, else UTF-8 where it is that, else what the
 * server said, else what the page says, else the one of ten that gives the likeliest text. Broken bytes become U+FFFD.
 */
export function decodePage(bytes: Uint8Array, contentType = ""): string {
  const marked = MARKS.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1];
  if (marked) return decoded(bytes, marked);
  const said = [charsetIn(contentType), charsetIn(declaration(bytes))].filter((label) => label !== "");
  if (said.includes("iso-2022-jp") && bytes.includes(ESCAPE)) return decoded(bytes, "iso-2022-jp");
  const utf8 = decoded(bytes, "utf-8");
  if (brokenIn(utf8) <= utf8.length / 5_000) return utf8;
  for (const label of said) {
    const text = label === "utf-8" ? utf8 : decoded(bytes, label);
    if (brokenIn(text) < text.length / 200 && isLikely(label, bytes)) return text;
  }
  const sample = bytes.subarray(0, SAMPLE);
  const ranked = GUESSES.filter(([label]) => isLikely(label, sample)).map(([label, common]) => ({
    label,
    score: likeness(decoded(sample, label), common),
  }));
  const best = ranked.reduce((a, b) => (b.score > a.score ? b : a));
  return decoded(bytes, best.label);
}

const MARKS: readonly (readonly [mark: readonly number[], label: string])[] = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
];
const ESCAPE = 27;
const SAMPLE = 50_000;

/** The signs that are most frequent in the languages of an encoding. */
const GUESSES: readonly (readonly [label: string, common: RegExp])[] = [
  ["utf-8", /[\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]/g],
  ["gb18030", /[的一是不了在人有我他这中大来上个国说们为子和你地出道也时年要就，。、：“”的新日月]/g],
  ["big5", /[的一是不了在人有我他這中大來上個國說們為子和你地出道也時年要就，。、：「」的新日月]/g],
  ["shift_jis", /[\u3041-\u30fe。、「」の日本人年]/g],
  ["euc-jp", /[\u3041-\u30fe。、「」の日本人年]/g],
  ["euc-kr", /[이다는을의에가고하지로한도기사리어자인대서나해있니아그것들]/g],
  ["windows-1251", /[оеаинтсрвлкмдпу]/g],
  ["koi8-r", /[оеаинтсрвлкмдпу]/g],
  ["windows-1253", /[αοιετσνηυρπκμλά]/g],
  ["windows-1256", /[اليمونترب]/g],
  ["windows-1250", /[áéíóúýčďěňřšťůžąćęłńśźżőű]/g],
  ["windows-1252", /[àáâãäåæçèéêëìíîïñòóôõöøùúûüß’“”–—«»€£©°]/g],
];

/** How much of what is not ASCII is frequent in the encoding's languages. */
function likeness(text: string, common: RegExp): number {
  const foreign = text.match(/[\u0080-\uffff]/g)?.length ?? 0;
  if (foreign === 0) return 0;
  const share = (text.match(common)?.length ?? 0) / foreign;
  return share - 10 * (brokenIn(text) / foreign);
}

/** Western labels are what servers say by default, also of pages in Chinese; those bytes stand in long runs. */
function isLikely(label: string, bytes: Uint8Array): boolean {
  if (!/^(?:windows-125[0248]|iso-8859-(?:1|15|2)|latin-?1|us-ascii|ascii)$/.test(label)) return true;
  let [foreign, paired] = [0, 0];
  for (let i = 0; i < Math.min(bytes.length, SAMPLE); i++) {
    if ((bytes[i] ?? 0) < 0x80) continue;
    foreign += 1;
    if ((bytes[i + 1] ?? 0) >= 0x80 || (bytes[i - 1] ?? 0) >= 0x80) paired += 1;
  }
  return paired < foreign * 0.7;
}

const brokenIn = (text: string) => text.match(/\ufffd/g)?.length ?? 0;

const declaration = (bytes: Uint8Array) => decoded(bytes.subarray(0, 4096), "windows-1252");

const charsetIn = (text: string) => /charset\s*=\s*["']?\s*([\w-]+)/i.exec(text)?.[1]?.toLowerCase() ?? "";

function decoded(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder(label === "utf8" ? "utf-8" : label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
