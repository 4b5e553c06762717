import { dateFromSerial, format, getFormatFromId, isDateFormat } from "numfmt";

/** Writes numbers as Excel shows them; dates are in ISO form, as far as they are shown: `2026-08` for "Aug 26". */
export type ShowNumber = (number: number) => string;

/** Returns how a format such as `0.0%` shows numbers. */
export function numberFormat(pattern: string, is1904 = false): ShowNumber {
  // The language of a currency would change the separators: 1.250 € for 1250.
  const plain = pattern.replace(/\[\$([^\]-]+)-[^\]]*\]/g, "[$$$1]");
  const letters = plain.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, "").toLowerCase();
  const hasYear = letters.includes("y");
  if (/y|d/.test(letters.replace(/d{3,}/g, "")) && isDate(plain))
    return (number) =>
      isoTime(number + (is1904 ? 1462 : 0), hasYear ? [/m/, /d/].map((part) => part.test(letters)) : []);
  if (/^general$/i.test(plain))
    return (number) => (Number.isSafeInteger(number) ? String(number) : written(plain, number));
  return (number) => written(plain, number);
}

/** Returns one of Excel's own formats by its number. */
export const builtInFormat = (id: number): string => getFormatFromId(id) ?? "General";

function isDate(pattern: string): boolean {
  try {
    return isDateFormat(pattern);
  } catch {
    return false;
  }
}

function written(pattern: string, number: number): string {
  try {
    return format(pattern, number).trim();
  } catch {
    return String(number);
  }
}

function isoTime(serial: number, [hasMonth = true, hasDay = true]: readonly boolean[]): string {
  const [year = 0, month = 1, day = 1, hours = 0, minutes = 0] = dateFromSerial(serial) ?? [];
  const two = (n: number) => String(n).padStart(2, "0");
  const date = [String(year).padStart(4, "0"), hasMonth && two(month), hasMonth && hasDay && two(day)];
  const shown = date.filter(Boolean).join("-");
  return hours === 0 && minutes === 0 ? shown : `${shown} ${two(hours)}:${two(minutes)}`;
}
