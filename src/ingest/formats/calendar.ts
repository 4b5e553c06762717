import { decode } from "../../text/decode.js";
import { languageOf } from "../../text/language.js";
import { checkBox, struckOut } from "../../text/marks.js";
import { type FormatReader, inLine, inMarkdown } from "./content.js";

// Calendars (RFC 5545) and contacts (RFC 6350), which are lines of a name, parameters and a value.

interface Property {
  name: string;
  parameters: Readonly<Record<string, string>>;
  value: string;
}

interface Component {
  name: string;
  properties: Property[];
  children: Component[];
}

/** A calendar: each event and task under its name, with its time, place, people and repetitions. */
export const calendar: FormatReader = (bytes) => {
  const text = decode(bytes);
  const calendars = componentsIn(text).filter(({ name }) => name === "VCALENDAR");
  if (calendars.length === 0) throw new Error("It has no VCALENDAR, so it is not a calendar.");
  const words = languageOf(text.replace(/^[A-Z-]+[;:]/gm, "").slice(0, 20_000)) === "zh" ? CHINESE : ENGLISH;
  const entries = calendars.flatMap(({ children }) =>
    children.flatMap((entry) => (ENTRIES.has(entry.name) ? [entryInWords(entry, words)] : [])),
  );
  const [title = ""] = calendars.flatMap((each) => valueIn(each, "X-WR-CALNAME") || valueIn(each, "NAME") || []);
  return inMarkdown([title && `# ${title}`, ...entries].filter(Boolean).join("\n\n"), { title });
};

/** Contacts: each under the name of the person, with addresses and numbers. */
export const contacts: FormatReader = (bytes) => {
  const cards = componentsIn(decode(bytes)).filter(({ name }) => name === "VCARD");
  if (cards.length === 0) throw new Error("It has no VCARD, so it holds no contacts.");
  const entries = cards.map((card) => {
    const name = valueIn(card, "FN") || inLine(valueIn(card, "N").split(";").slice(0, 2).reverse().join(" "));
    const lines = card.properties.flatMap((property) => {
      const label = CARD[property.name];
      const value = inLine(
        unescaped(property.value)
          .split(";")
          .map((part) => part.trim())
          .filter(Boolean)
          .join(", "),
      ).replace(/^(?:tel|mailto):/i, "");
      if (label === undefined || value === "") return [];
      const kinds = (property.parameters.TYPE ?? "")
        .toLowerCase()
        .split(",")
        .filter((kind) => KINDS.has(kind));
      return [`- ${[label, ...(kinds.length > 0 ? [`(${kinds.join(", ")})`] : [])].join(" ")}: ${value}`];
    });
    return [`## ${name || "(no name)"}`, lines.join("\n")].filter(Boolean).join("\n\n");
  });
  const [only] = cards.length === 1 ? cards : [];
  return inMarkdown(entries.join("\n\n"), { title: only ? valueIn(only, "FN") : "" });
};

const CARD: Readonly<Record<string, string>> = {
  ORG: "Organization",
  TITLE: "Title",
  ROLE: "Role",
  TEL: "Phone",
  EMAIL: "Email",
  ADR: "Address",
  BDAY: "Birthday",
  URL: "Address on the web",
  NOTE: "Note",
};
const KINDS = new Set("work home cell mobile fax pager main".split(" "));

/** Reads the components that lines begin and end. What is never ended ends with the text. */
function componentsIn(text: string): Component[] {
  const top: Component = { name: "", properties: [], children: [] };
  const open = [top];
  for (const line of unfolded(text)) {
    const property = propertyIn(line);
    const within = open.at(-1) ?? top;
    if (!property) continue;
    const kind = property.value.trim().toUpperCase();
    if (property.name === "BEGIN") {
      const child: Component = { name: kind, properties: [], children: [] };
      within.children.push(child);
      if (open.length < DEEPEST) open.push(child);
    } else if (property.name === "END") {
      if (open.length > 1 && within.name === kind) open.pop();
    } else within.properties.push(property);
  }
  return top.children;
}

const DEEPEST = 10;

/** A line that begins with a space goes on with the one before. So does one in quoted-printable that ends with "=". */
function unfolded(text: string): string[] {
  const lines: string[] = [];
  let [isEncoded, isQuoted] = [false, false];
  for (const line of text.split(/\r\n?|\n/)) {
    const last = lines.length - 1;
    if (isQuoted) lines[last] = `${lines[last]?.slice(0, -1)}${line}`;
    else if (/^[ \t]/.test(line) && last >= 0) lines[last] += line.slice(1);
    else {
      lines.push(line);
      isEncoded = /;ENCODING=QUOTED-PRINTABLE[;:]/i.test(line.slice(0, 1_000));
    }
    isQuoted = isEncoded && line.endsWith("=");
  }
  return lines;
}

/** A name, then parameters such as `;TZID=Europe/Oslo`, whose values may be quoted, then the value. */
const LINE = /^(?:[\w-]+\.)?([\w-]+)((?:;[\w-]+(?:=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)?)*):(.*)$/s;

function propertyIn(line: string): Property | undefined {
  const [, name = "", given = "", value = ""] = LINE.exec(line.slice(0, LONGEST)) ?? [];
  if (name === "") return undefined;
  const parameters: Record<string, string> = Object.create(null);
  for (const [, key = "", held] of given.matchAll(/;([\w-]+)(?:=((?:"[^"]*"|[^";:])*))?/g)) {
    const isBare = held === undefined;
    const known = isBare ? "TYPE" : key.toUpperCase();
    const one = (isBare ? key : held).replaceAll('"', "");
    parameters[known] = known in parameters ? `${parameters[known]},${one}` : one;
  }
  const isQuoted = parameters.ENCODING?.toUpperCase() === "QUOTED-PRINTABLE";
  return { name: name.toUpperCase(), parameters, value: isQuoted ? fromQuoted(value, parameters.CHARSET) : value };
}

/** In characters. A photo of a contact is longer. */
const LONGEST = 100_000;

function fromQuoted(value: string, charset = "utf-8"): string {
  const bytes: number[] = [];
  for (const [, hex, other = ""] of value.matchAll(/=([0-9A-F]{2})|([\s\S])/gi))
    if (hex) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...Buffer.from(other));
  try {
    return new TextDecoder(charset).decode(Uint8Array.from(bytes));
  } catch {
    return new TextDecoder().decode(Uint8Array.from(bytes));
  }
}

const unescaped = (value: string) =>
  value.replace(/\\([nN,;:\\])/g, (_, mark: string) => (mark.toLowerCase() === "n" ? "\n" : mark));

const propertyOf = ({ properties }: Component, name: string) => properties.find((property) => property.name === name);
const valueIn = (component: Component, name: string) => inLine(unescaped(propertyOf(component, name)?.value ?? ""));

const ENTRIES = new Set(["VEVENT", "VTODO", "VJOURNAL"]);

function entryInWords(entry: Component, words: Words): string {
  const title = valueIn(entry, "SUMMARY") || words.noTitle;
  const status = valueIn(entry, "STATUS").toUpperCase();
  const isCancelled = status === "CANCELLED";
  const isTask = entry.name === "VTODO";
  const isDone = status === "COMPLETED" || propertyOf(entry, "COMPLETED") !== undefined;
  const due = propertyOf(entry, "DUE");
  const changed = propertyOf(entry, "RECURRENCE-ID");
  const rule = propertyOf(entry, "RRULE");
  const repeats = rule ? repeatsInWords(rule.value, words) : "";
  const except = entry.properties.filter(({ name }) => name === "EXDATE").flatMap(timesIn);
  const more = entry.properties.filter(({ name }) => name === "RDATE").flatMap(timesIn);
  const people = (name: string) =>
    entry.properties
      .filter((property) => property.name === name)
      .map((property) => personIn(property, words))
      .filter(Boolean)
      .join(words.comma);
  const fields: [name: string, value: string][] = [
    [words.when, timeOf(entry, words)],
    [words.due, due ? timeIn(due).shown : ""],
    [words.insteadOf, changed ? timeIn(changed).shown : ""],
    [words.repeats, repeats],
    [words.except, except.join(words.comma)],
    [words.also, more.join(words.comma)],
    [words.where, valueIn(entry, "LOCATION")],
    [words.organizer, people("ORGANIZER")],
    [words.attendees, people("ATTENDEE")],
  ];
  const inForce = fields.flatMap(([name, value]) => {
    if (value === "") return [];
    const line = `${name}${words.colon}${value}`;
    return [`- ${isCancelled ? struckOut(line) : line}`];
  });
  const said = STATUSES[status];
  const lines = [
    ...(isTask ? [`- ${checkBox(isDone)} ${isCancelled ? struckOut(title) : title}`] : []),
    ...inForce,
    ...(said === undefined ? [] : [`- ${words.status}${words.colon}${words.statuses[said]}`]),
  ];
  const description = unescaped(propertyOf(entry, "DESCRIPTION")?.value ?? "").trim();
  return [`## ${isCancelled ? struckOut(title) : title}`, lines.join("\n"), description].filter(Boolean).join("\n\n");
}

/** Statuses that a reader has to know of. */
const STATUSES: Readonly<Record<string, keyof Words["statuses"]>> = {
  CANCELLED: "cancelled",
  TENTATIVE: "tentative",
  "IN-PROCESS": "begun",
  "NEEDS-ACTION": "open",
  COMPLETED: "done",
};

/** Names a person, and whether that person does not come. */
function personIn({ parameters, value }: Property, words: Words): string {
  const address = value.replace(/^mailto:/i, "").trim();
  const name = inLine(parameters.CN ?? "");
  const answer = words.answers[parameters.PARTSTAT?.toUpperCase() as keyof Words["answers"]];
  const who = name === "" || name === address ? address : `${name} ${address.includes("@") ? address : ""}`.trim();
  return answer === undefined ? who : `${who} (${answer})`;
}

interface Time {
  /** Such as "2025-03-01 10:00 (Europe/Oslo)"; as it is written if it is no time. */
  shown: string;
  date: string;
  /** Empty for a whole day. */
  clock: string;
  zone: string;
}

function timeIn({ parameters, value }: Pick<Property, "parameters" | "value">): Time {
  const found = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?\d\d)?(Z?))?$/.exec(value.trim());
  if (!found) return { shown: inLine(value), date: "", clock: "", zone: "" };
  const [, year, month, day, hours, minutes, isUtc] = found;
  const date = `${year}-${month}-${day}`;
  const clock = hours === undefined ? "" : `${hours}:${minutes}`;
  const zone = isUtc ? "UTC" : clock === "" ? "" : inLine(parameters.TZID ?? "").replace(/^\/.*\/(?=\w+\/\w+$)/, "");
  return { shown: [date, clock, zone && `(${zone})`].filter(Boolean).join(" "), date, clock, zone };
}

const timesIn = ({ parameters, value }: Property): string[] =>
  value.split(",").map((one) => timeIn({ parameters, value: one.split("/")[0] ?? "" }).shown);

/** Says from when until when an entry is. The last day of an entry of whole days is the one before its end. */
function timeOf(entry: Component, words: Words): string {
  const begin = propertyOf(entry, "DTSTART");
  if (!begin) return "";
  const start = timeIn(begin);
  const given = propertyOf(entry, "DTEND");
  const length = propertyOf(entry, "DURATION")?.value ?? "";
  if (start.date === "") return start.shown;
  if (start.clock === "") {
    const days = /^\+?P(?:(\d+)W)?(?:(\d+)D)?/.exec(length);
    const last = given ? dayAfter(timeIn(given).date, -1) : dayAfter(start.date, daysIn(days) - 1);
    const isLonger = last > start.date;
    return isLonger ? words.fromTo(start.date, last) : `${start.date} (${words.allDay})`;
  }
  const end = given ? timeIn(given) : endAfter(start, length);
  if (!end || end.date === "") return start.shown;
  const zone = start.zone === "" ? "" : ` (${start.zone})`;
  if (end.zone !== start.zone) return words.fromTo(start.shown, end.shown);
  if (end.date === start.date) return words.fromTo(`${start.date} ${start.clock}`, `${end.clock}${zone}`);
  return words.fromTo(`${start.date} ${start.clock}`, `${end.date} ${end.clock}${zone}`);
}

const daysIn = (found: RegExpExecArray | null) => Math.max(1, Number(found?.[1] ?? 0) * 7 + Number(found?.[2] ?? 0));

function dayAfter(date: string, days: number): string {
  const time = Date.parse(`${date}T00:00:00Z`) + days * 86_400_000;
  return Number.isNaN(time) ? date : new Date(time).toISOString().slice(0, 10);
}

function endAfter(start: Time, length: string): Time | undefined {
  const found = /^\+?P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:\d{1,6}S)?)?$/.exec(
    length.trim(),
  );
  if (!found) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const time =
    Date.parse(`${start.date}T${start.clock}:00Z`) + (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000;
  if (Number.isNaN(time)) return undefined;
  const iso = new Date(time).toISOString();
  return { ...start, date: iso.slice(0, 10), clock: iso.slice(11, 16) };
}

/** Says how an entry repeats. What has no words here stays as it is written. */
function repeatsInWords(rule: string, words: Words): string {
  const parts = new Map(
    rule.split(";").map((part) => {
      const [name = "", ...value] = part.split("=");
      return [name.trim().toUpperCase(), value.join("=").trim()] as const;
    }),
  );
  const take = (name: string) => {
    const value = parts.get(name) ?? "";
    parts.delete(name);
    return value;
  };
  parts.delete("WKST");
  const unit = take("FREQ").toUpperCase();
  const every = Math.max(1, Number(take("INTERVAL")) || 1);
  const frequency = words.every(unit, every);
  if (frequency === undefined) return inLine(rule);
  const days = take("BYDAY")
    .split(",")
    .filter(Boolean)
    .map((day) => words.day(day.toUpperCase()) ?? day);
  const dates = take("BYMONTHDAY")
    .split(",")
    .filter(Boolean)
    .map((day) => words.dayOfMonth(Number(day)));
  const months = take("BYMONTH")
    .split(",")
    .filter(Boolean)
    .map((month) => words.month(Number(month)));
  const until = take("UNTIL");
  const count = take("COUNT");
  const rest = [...parts]
    .filter(([name, value]) => name !== "" && value !== "")
    .map(([name, value]) => `${name}=${value}`);
  return words.repeating({
    frequency,
    on: [...days, ...dates].join(words.comma),
    months: months.join(words.comma),
    until: until === "" ? "" : timeIn({ parameters: {}, value: until }).shown,
    count,
    rest: rest.join("; "),
  });
}

interface Words {
  when: string;
  due: string;
  insteadOf: string;
  repeats: string;
  except: string;
  also: string;
  where: string;
  organizer: string;
  attendees: string;
  status: string;
  noTitle: string;
  allDay: string;
  comma: string;
  colon: string;
  statuses: Readonly<Record<"cancelled" | "tentative" | "begun" | "open" | "done", string>>;
  answers: Readonly<Record<"DECLINED" | "TENTATIVE", string>>;
  fromTo(from: string, to: string): string;
  every(unit: string, count: number): string | undefined;
  day(code: string): string | undefined;
  dayOfMonth(day: number): string;
  month(month: number): string;
  repeating(parts: Readonly<Record<"frequency" | "on" | "months" | "until" | "count" | "rest", string>>): string;
}

const DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const DAYS_EN = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const DAYS_ZH = ["周一", "周二", "周三", "周四", "周五", "周六", "周日"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const UNITS_EN: Readonly<Record<string, string>> = {
  DAILY: "day",
  WEEKLY: "week",
  MONTHLY: "month",
  YEARLY: "year",
  HOURLY: "hour",
};
const UNITS_ZH: Readonly<Record<string, string>> = {
  DAILY: "天",
  WEEKLY: "周",
  MONTHLY: "个月",
  YEARLY: "年",
  HOURLY: "小时",
};
const ORDINALS = ["", "first", "second", "third", "fourth", "fifth"];

/** Returns the number and the day of a code such as "-1FR". */
function dayIn(code: string): { number: number; day: number } | undefined {
  const found = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(code);
  return found ? { number: Number(found[1] ?? 0), day: DAYS.indexOf(found[2] ?? "") } : undefined;
}

const ENGLISH: Words = {
  when: "When",
  due: "Due",
  insteadOf: "Instead of the one on",
  repeats: "Repeats",
  except: "Not on",
  also: "Also on",
  where: "Where",
  organizer: "Organizer",
  attendees: "Attendees",
  status: "Status",
  noTitle: "(no title)",
  allDay: "all day",
  comma: ", ",
  colon: ": ",
  statuses: { cancelled: "cancelled", tentative: "tentative", begun: "begun", open: "open", done: "done" },
  answers: { DECLINED: "declined", TENTATIVE: "tentative" },
  fromTo: (from, to) => `${from} to ${to}`,
  every: (unit, count) => {
    const name = UNITS_EN[unit];
    return name && (count === 1 ? `every ${name}` : `every ${count} ${name}s`);
  },
  day: (code) => {
    const found = dayIn(code);
    const name = DAYS_EN[found?.day ?? -1];
    if (!found || name === undefined || found.number === 0) return name;
    if (found.number === -1) return `the last ${name}`;
    const place = ORDINALS[Math.abs(found.number)] ?? `${Math.abs(found.number)}th`;
    return found.number < 0 ? `the ${place} ${name} from the end` : `the ${place} ${name}`;
  },
  dayOfMonth: (day) => (day === -1 ? "the last day" : day < 0 ? `day ${-day} from the end` : `day ${day}`),
  month: (month) => MONTHS[month - 1] ?? String(month),
  repeating: ({ frequency, on, months, until, count, rest }) =>
    [
      frequency,
      on && `on ${on}`,
      months && `in ${months}`,
      until && `until ${until}`,
      count && `${count} times in all`,
      rest && `(${rest})`,
    ]
      .filter(Boolean)
      .join(" "),
};

const CHINESE: Words = {
  when: "时间",
  due: "截止",
  insteadOf: "代替原定于",
  repeats: "重复",
  except: "除外",
  also: "另加",
  where: "地点",
  organizer: "组织者",
  attendees: "参加者",
  status: "状态",
  noTitle: "（无标题）",
  allDay: "全天",
  comma: "、",
  colon: "：",
  statuses: { cancelled: "已取消", tentative: "待定", begun: "进行中", open: "未完成", done: "已完成" },
  answers: { DECLINED: "已谢绝", TENTATIVE: "待定" },
  fromTo: (from, to) => `${from} 至 ${to}`,
  every: (unit, count) => {
    const name = UNITS_ZH[unit];
    return name && (count === 1 ? `每${name}` : `每${count}${name}`);
  },
  day: (code) => {
    const found = dayIn(code);
    const name = DAYS_ZH[found?.day ?? -1];
    if (!found || name === undefined || found.number === 0) return name;
    if (found.number === -1) return `最后一个${name}`;
    return found.number < 0 ? `倒数第${-found.number}个${name}` : `第${found.number}个${name}`;
  },
  dayOfMonth: (day) => (day === -1 ? "最后一天" : day < 0 ? `倒数第${-day}天` : `${day}日`),
  month: (month) => `${month}月`,
  repeating: ({ frequency, on, months, until, count, rest }) =>
    [
      [frequency, months, on].filter(Boolean).join(" "),
      until && `至 ${until}`,
      count && `共${count}次`,
      rest && `（${rest}）`,
    ]
      .filter(Boolean)
      .join("，"),
};
