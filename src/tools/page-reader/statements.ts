/** What a page's JSON-LD says of its article; each empty where it says nothing. */
export interface Statements {
  headline: string;
  author: string;
  published: string;
  modified: string;
  language: string;
  /** The types of all things named. */
  kinds: string;
}

/** Reads JSON-LD, that of articles before that of pages; what is not JSON, or is larger than any page needs, is passed over. */
export function statements(scripts: readonly string[]): Statements {
  const found = scripts.flatMap((script) => (script.length > LARGEST ? [] : thingsIn(script)));
  const ranked = found.toSorted((a, b) => rank(b) - rank(a)).filter((thing) => rank(thing) > 0);
  const first = (name: string) => ranked.map((thing) => textOf(thing[name])).find((text) => text !== "") ?? "";
  return {
    headline: first("headline"),
    author: ranked.map((thing) => namesOf(thing.author)).find((names) => names !== "") ?? "",
    published: first("datePublished") || first("dateCreated") || first("uploadDate"),
    modified: first("dateModified"),
    language: first("inLanguage"),
    kinds: found.map((thing) => String(thing["@type"])).join(" "),
  };
}

type Thing = Readonly<Record<string, unknown>>;

const LARGEST = 1_000_000;
const MOST_THINGS = 2_000;

function thingsIn(script: string): Thing[] {
  const text = script.replace(
    /^\s*(?:<!--|\/\/<!\[CDATA\[|\/\*<!\[CDATA\[\*\/)|(?:-->|\/\/\]\]>|\/\*\]\]>\*\/)\s*$/g,
    "",
  );
  const things: Thing[] = [];
  const ahead: unknown[] = [];
  try {
    ahead.push(JSON.parse(text));
  } catch {
    return [];
  }
  for (let next = ahead.shift(); next !== undefined && things.length < MOST_THINGS; next = ahead.shift()) {
    if (Array.isArray(next)) ahead.push(...next.slice(0, MOST_THINGS));
    else if (isThing(next)) {
      things.push(next);
      ahead.push(next["@graph"] ?? [], next.mainEntity ?? [], next.mainEntityOfPage ?? []);
    }
  }
  return things;
}

const isThing = (value: unknown): value is Thing => typeof value === "object" && value !== null;

function rank(thing: Thing): number {
  const kind = String(thing["@type"]);
  if (/Article|Posting|Report|Recipe|HowTo|Question|Review/.test(kind)) return 3;
  return /Page|CreativeWork|Object|Event/.test(kind) ? 2 : 0;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function namesOf(value: unknown): string {
  const all = (Array.isArray(value) ? value : [value]).slice(0, 10);
  return all
    .map((each) => (isThing(each) ? textOf(each.name) : textOf(each)))
    .filter((name) => name !== "" && !name.startsWith("http"))
    .join(", ");
}
