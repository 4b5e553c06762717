import { type Condition, MOST_VALUES } from "../../types/filter.js";
import { metadataKey } from "../../types/metadata.js";
import type { User } from "../../types/user.js";
import { DEFAULT_CLAIMS, type SignInSettings } from "./settings.js";

/** What an issuer or a proxy says of a user. Anything may be in it. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Makes a user of claims: the identity from the issuer and `sub`, the scope by the map. Returns undefined without a
 * `sub`.
 * @param issuer who says so; two issuers may use the same `sub`.
 * @param onCut called with a sentence if the user has more values than a condition may have, and sees less for it.
 */
export function userFrom(
  claims: Claims,
  issuer: string,
  { claims: map = DEFAULT_CLAIMS, operators = [], uploaders = [] }: SignInSettings,
  onCut: (message: string) => void,
): User | undefined {
  const [sub] = valuesAt(claims, "sub");
  if (sub === undefined) return undefined;
  const expanded = (templates: readonly string[]) => [
    ...new Set(templates.flatMap((template) => valuesOf(template, claims))),
  ];
  const names = expanded((map === "all" ? DEFAULT_CLAIMS : map).readers ?? DEFAULT_CLAIMS.readers);
  const isOne = (of: readonly string[]) => of.some((name) => names.includes(name));
  const isOperator = isOne(operators);
  const conditionOf = (key: string, templates: readonly string[]): Condition => {
    const values = expanded(templates);
    if (values.length > MOST_VALUES)
      onCut(
        `${sub} has ${values.length} names and groups. Only the first ${MOST_VALUES} count, so some documents are hidden.`,
      );
    // Sorted, since an issuer may list the same groups in another order, and a conversation belongs to its scope.
    return { key: metadataKey(key), values: values.slice(0, MOST_VALUES).sort() };
  };
  return {
    identity: `${issuer} ${sub}`,
    emend_scope:
      isOperator || map === "all" ? "all" : Object.entries(map).map(([key, templates]) => conditionOf(key, templates)),
    emend_may_upload: isOperator || isOne(uploaders),
    emend_is_operator: isOperator,
    display_name: ["name", "preferred_username", "email", "sub"].flatMap((name) => valuesAt(claims, name))[0] ?? sub,
  };
}

/** Returns the values of a template, one for each entry of a list; none if a claim is missing. */
function valuesOf(template: string, claims: Claims): string[] {
  const parts = template.split(/\{([^{}]+)\}/);
  const values = parts.reduce<string[]>(
    (begun, part, i) => {
      const next = i % 2 === 0 ? [part] : valuesAt(claims, part);
      return begun.flatMap((text) => next.map((value) => text + value)).slice(0, MOST_PRODUCTS);
    },
    [""],
  );
  return values.filter((value) => value.length <= LONGEST_VALUE);
}

/** A template with two lists has the product of their lengths. */
const MOST_PRODUCTS = 100_000;
/** In characters, as in a condition. */
const LONGEST_VALUE = 500;

/**
 * Returns the values of a claim, named by its path. An e-mail address that the issuer did not verify is none. Values
 * with control characters are left out: metadata has its values on separate lines.
 */
function valuesAt(claims: Claims, path: string): string[] {
  if (path === "email" && (claims.email_verified === false || claims.email_verified === "false")) return [];
  return [at(claims, path)]
    .flat()
    .flatMap((value) => (["string", "number", "boolean"].includes(typeof value) ? `${value}` : []))
    .filter((value) => value.trim() !== "" && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(value));
}

/** Names of claims may have dots themselves, such as `https://example.org/groups`. */
function at(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return Reflect.get(claims, path);
  for (let dot = path.indexOf("."); dot > 0; dot = path.indexOf(".", dot + 1)) {
    const inner = Object.hasOwn(claims, path.slice(0, dot)) ? Reflect.get(claims, path.slice(0, dot)) : undefined;
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
      const found = at(inner, path.slice(dot + 1));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}
