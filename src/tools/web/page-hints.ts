import { attribute, type TreeElement } from "./html-tree.js";

/** Bits for the roles of an element, guessed from words that many sites use in classes and ids. */
export const Hint = {
  comment: 1,
  share: 2,
  related: 4,
  navigation: 8,
  promotion: 16,
  about: 32,
  side: 64,
  edge: 128,
  media: 256,
  headline: 512,
  boilerplate: 1024,
} as const;

const WORDS: Readonly<Record<keyof typeof Hint, RegExp>> = {
  comment: /comment|disqus|repl(?:y|ies)\b|respond|discuss|feedback|guestbook|talkback|konversation|kommentar|livefyre/,
  share: /shar(?:e|ing)|social|follow|facebook|twitter|whatsapp|addthis|addtoany|sociab|like-?button/,
  related:
    /relat|recommend|more-|-more\b|popular|trend|most-|latest|read-?(?:more|next|also)|also-|teaser|outbrain|taboola|similar|you-?may|next|prev|suggest|recirc|recent|archive|see-?also|further|must-?read|link-?list|listing/,
  navigation: /\bnav|navi|menu|breadcrumb|pag(?:er|ination)|skip|toolbar|\btabs?\b|topbar|toc\b|jump|filter|search/,
  promotion:
    /promo|newsletter|subscri|sign-?(?:up|in)|login|register|sponsor|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|donat|\bcta\b|paywall|offer|shop|coupon|affiliate|dfp|gpt-|premium|membership|campaign|marketing|app-?download|deal/,
  about:
    /byline|author|\bbio\b|meta|\bdate|time|\btags?\b|tag-?list|categor|credit|source|copyright|license|published|posted|rating|info\b|label|keyword|topic|stat(?:s|us)/,
  side: /side|aside|rail|secondary|column-?right|right-?col|complementary|extra|supplement|factbox|infobox|inset|pull-?quote|pullout/,
  edge: /foot|bottom|header|masthead|legal|privacy|disclaim|\btop\b|notice|alert|modal|popup|pop-?up|overlay|lightbox|toast/,
  media: /caption|gallery|slide|carousel|video|player|figure|image|photo|thumb|picture|media|embed|poll|quiz/,
  headline: /headline|\btitle|heading|subtitle|\bdek\b|summary|standfirst|lead|intro|excerpt|abstract|description/,
  boilerplate: /cookie|consent|gdpr|reflist|references\b|footnotes/,
};

/** Returns the hints in an element's tag, role, class, id and itemprop. */
export function hintsOf(element: TreeElement): number {
  const hints = OF_ELEMENT[element.name] ?? 0;
  if (Object.keys(element.attribs).length === 0) return hints;
  const names = ["class", "id", "itemprop"].map((name) => attribute(element, name)).join(" ");
  return hints | (OF_ROLE[attribute(element, "role")] ?? 0) | hintsIn(names.slice(0, 300));
}

const NAMES = Object.keys(WORDS) as (keyof typeof Hint)[];

function hintsIn(names: string): number {
  const known = KNOWN.get(names);
  if (known !== undefined) return known;
  const words = names
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  let hints = 0;
  for (const name of NAMES) if (WORDS[name].test(words)) hints |= Hint[name];
  if (KNOWN.size > 20_000) KNOWN.clear();
  KNOWN.set(names, hints);
  return hints;
}

/** A cache, since the pages of a site share their class names. */
const KNOWN = new Map<string, number>();

const OF_ELEMENT: Record<string, number | undefined> = {
  nav: Hint.navigation,
  aside: Hint.side,
  footer: Hint.edge,
  header: Hint.edge,
  figcaption: Hint.media,
  figure: Hint.media,
  menu: Hint.navigation,
  address: Hint.about,
};

const OF_ROLE: Record<string, number | undefined> = {
  navigation: Hint.navigation,
  complementary: Hint.side,
  contentinfo: Hint.edge,
  banner: Hint.edge,
  search: Hint.navigation,
  menu: Hint.navigation,
  menubar: Hint.navigation,
  dialog: Hint.edge,
  alert: Hint.edge,
};
