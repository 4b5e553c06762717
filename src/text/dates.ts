/** Returns the ISO date at the start of a text such as 2024-05-01T09:00Z, 2024/5/1 or 2024年5月1日; else an empty string. */
export function isoDate(text: string): string {
  const [, year = "", month = "", day = ""] = /^\s*(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/.exec(text) ?? [];
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : "";
}
