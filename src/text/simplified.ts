import TRADITIONAL from "opencc-js/dict/TSCharacters";

/**
 * Replaces traditional Chinese characters with simplified ones (什麼 with 什么), one by one, so that every offset stays.
 * Some different characters become equal (乾 and 幹: 干), so the result is for comparison, never for display.
 */
export function simplified(text: string): string {
  let written = "";
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const to = TABLE[text.charCodeAt(i)];
    if (!to) continue;
    written += text.slice(from, i) + String.fromCharCode(to);
    from = i + 1;
  }
  return from === 0 ? text : written + text.slice(from);
}

/**
 * The replacement of each UTF-16 unit; 0 for none. A pattern of 3,500 characters would take ten times as long as the
 * rest of a comparison.
 */
const TABLE = new Uint16Array(0x10000);
for (const pair of TRADITIONAL.split("|")) {
  const [from = "", to = ""] = pair.split(" ");
  // Skips rare characters of two units.
  if (from.length === 1 && to.length === 1) TABLE[from.charCodeAt(0)] = to.charCodeAt(0);
}
