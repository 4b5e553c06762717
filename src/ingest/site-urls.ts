import { isReadable } from "./formats/registry.js";

/** The part of a host that is crawled. */
export interface SiteScope {
  /** A URL of the site, after redirects. Its host and scheme are those of all pages. */
  start: URL;
  /** The path that all pages are at or below. Ends with a slash if it is a folder. */
  path: string;
}

/**
 * Returns the part of a site that an address stands for: what is below its path, or below its folder if the path names a
 * file such as `index.html`.
 * @param given the address as the user wrote it.
 * @param found the address after redirects, which may be on another host or at another path.
 */
export function scopeOf(given: string, found: string): SiteScope {
  const [asked, start] = [new URL(given), new URL(found)];
  const path = folderOf(asked);
  const isBelowGiven = bareHost(asked) === bareHost(start) && isAtOrBelow(start.pathname, path);
  return { start, path: isBelowGiven ? path : folderOf(start) };
}

const folderOf = ({ pathname }: URL) => (/\.\w+$/.test(pathname) ? pathname.replace(/[^/]*$/, "") : pathname);

const isAtOrBelow = (pathname: string, folder: string) =>
  pathname === folder || `${pathname}/` === folder || pathname.startsWith(folder.replace(/\/?$/, "/"));

/** Many sites answer with and without `www.`, and link to either. */
export const bareHost = ({ hostname }: URL) => hostname.replace(/^www\./, "");

/**
 * Returns the address of a page or file of a site as it is requested: on the host and with the scheme of the start,
 * without a fragment, and without parameters that only follow a visitor. Undefined for what is not part of the site.
 */
export function addressIn({ start, path }: SiteScope, link: string): string | undefined {
  const url = URL.parse(link);
  if (!url || bareHost(url) !== bareHost(start) || url.port !== start.port || url.username || url.password)
    return undefined;
  if (!isAtOrBelow(url.pathname, path) && !isFile(url)) return undefined;
  url.protocol = start.protocol;
  url.host = start.host;
  url.hash = "";
  url.pathname = url.pathname.replace(/;jsessionid=[^/]*/i, "");
  // Writing the parameters anew would also encode them anew.
  for (const name of [...url.searchParams.keys()]) if (FOLLOWS.test(name)) url.searchParams.delete(name);
  return url.href;
}

/** A linked file may be anywhere on the host: many sites keep their files in a folder of their own. */
const isFile = ({ pathname }: URL) => isReadable(pathname) && !/\.x?html?$/i.test(pathname);

/** True for pictures, scripts and the like, by the ending of the address: requests for them would be wasted. */
export const isMedia = (address: string): boolean => MEDIA.test(new URL(address).pathname);

const MEDIA =
  /\.(?:png|jpe?g|gif|svgz?|webp|avif|heic|bmp|ico|tiff?|psd|mp[34]|m4[av]|ogg|oga|ogv|wav|flac|webm|mov|avi|mkv|zip|gz|tgz|bz2|xz|7z|rar|iso|dmg|exe|msi|apk|deb|rpm|css|m?js|map|woff2?|ttf|otf|eot)$/i;

/**
 * True if an address must have grown out of itself: a part of its path occurs three times (`/a/b/a/b/a/b`), or it is
 * longer than any that people write.
 */
export function isGrown(address: string): boolean {
  const { href, pathname } = new URL(address);
  const parts = pathname.split("/").filter((part) => part !== "");
  if (href.length > LONGEST || parts.length > DEEPEST) return true;
  return [...Map.groupBy(parts, (part) => part).values()].some(({ length }) => length > 2);
}

const LONGEST = 1_000;
const DEEPEST = 20;

/** Names of parameters for campaigns and sessions, set by widespread programs. */
const FOLLOWS =
  /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|igshid|mc_[ce]id|_ga|_gl|phpsessid|jsessionid|aspsessionid\w*|cftoken|cfid)$/i;

/** Returns what addresses of the same page have in common: their parameters may be in any order. */
export function keyOf(address: string): string {
  const url = new URL(address);
  url.searchParams.sort();
  return url.href;
}

/**
 * Returns the form of an address: its path with every part that has a digit replaced, and the names of its parameters.
 * The pages of an endless calendar have the same form.
 */
export function formOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  const path = pathname.replace(/[^/]*\d[^/]*/g, "#");
  return `${path}?${[...new Set(searchParams.keys())].sort().join("&")}`;
}
