import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { UsageError } from "../../errors.js";
import { anAddress, exactly, type OptionsOf } from "../../options.js";
import { parsedJson } from "../../text/decode.js";
import { metadataKey } from "../../types/metadata.js";

export interface UserSettings {
  /** How users sign in, beside tokens. Default: they do not. */
  signIn?: SignInSettings | undefined;
}

/** How users sign in, and what they may see then. */
export interface SignInSettings {
  /**
   * Bearer tokens that another server signs (JWTs). With `oidc`, its issuer and keys are the default, and `url` and
   * `url`/mcp are audiences as well. Default: only those of `oidc`, if there is one.
   */
  jwt?: JwtSettings | undefined;
  /** A reverse proxy that says in headers who asks. Default: none is believed. */
  proxy?: ProxySettings | undefined;
  /** An OpenID Connect provider, at which users of the page sign in. It needs `url`. Default: none. */
  oidc?: OidcSettings | undefined;
  /** What a user may see, by the claims. Default: documents whose `readers` name everyone, the user or a group. */
  claims?: ClaimsMap | undefined;
  /** Names such as `group:emend-admins`, whose users are operators and see every document. Default: none. */
  operators?: readonly string[] | undefined;
  /** Names such as `group:editors`, whose users may add and delete documents by uploads. Default: none. */
  uploaders?: readonly string[] | undefined;
}

export interface JwtSettings {
  /** The address of the issuer's public keys. */
  jwksUrl?: string | undefined;
  /** What `iss` has to be. */
  issuer?: string | undefined;
  /** What `aud` has to contain. */
  audience?: string | undefined;
  /** A header in which a proxy sends the token, such as `Cf-Access-Jwt-Assertion`. Default: `Authorization` alone. */
  header?: string | undefined;
}

export interface ProxySettings {
  /** The addresses of the proxy, or their ranges, such as `10.0.0.0/8`. */
  from: readonly string[];
  /**
   * The names of the headers with the user, the e-mail address and the groups, in this order. Default:
   * `X-Forwarded-User`, `X-Forwarded-Email`, `X-Forwarded-Groups`.
   */
  headers?: readonly string[] | undefined;
}

export interface OidcSettings {
  /** The address of the provider, as its discovery document has it. */
  issuer: string;
  clientId: string;
  /** Default: none, for a public client. */
  clientSecret?: string | undefined;
}

/**
 * Conditions on documents: metadata keys, each with templates of its values. `{email}` is replaced by the claim of this
 * name, `{realm_access.roles}` by a claim within another. A list gives a value for each of its entries, and a claim that
 * is missing none. "all": users may see every document.
 */
export type ClaimsMap = "all" | Readonly<Record<string, readonly string[]>>;

export const DEFAULT_CLAIMS = {
  readers: ["everyone", "user:{email}", "user:{sub}", "group:{groups}"],
} satisfies ClaimsMap;

const PROXY_HEADERS = ["X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups"];

const aRange = z.string().refine(isRange, { error: "must be addresses or ranges, such as 10.0.0.5 or 10.0.0.0/24" });
const aHeader = z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, { error: "must be the name of a header" });
const aTemplate = z.string().regex(/^(?:[^{}\p{C}]|\{[^{}\s]+\})+$/u, {
  error: "must be texts with claims in braces, such as group:{groups}",
});
const someTemplates = z.union([aTemplate.transform((one) => [one]), z.array(aTemplate)]);
const Claims = z.union([
  z.literal("all"),
  z.record(
    z.string().refine((key) => metadataKey(key) !== "", { error: "must be a key of metadata, such as readers" }),
    someTemplates,
  ),
]);
const aName = z
  .string()
  .regex(/^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u, { error: "must be names, such as group:admins" });

const SignIn = exactly({
  jwt: exactly({
    jwksUrl: anAddress.optional(),
    issuer: z.string().min(1).optional(),
    audience: z.string().min(1).optional(),
    header: aHeader.optional(),
  } satisfies OptionsOf<JwtSettings>).optional(),
  proxy: exactly({
    from: z.array(aRange).min(1),
    headers: z.array(aHeader).min(1).max(3).optional(),
  } satisfies OptionsOf<ProxySettings>).optional(),
  oidc: exactly({
    issuer: anAddress,
    clientId: z.string().min(1),
    clientSecret: z.string().min(1).optional(),
  } satisfies OptionsOf<OidcSettings>).optional(),
  claims: Claims.optional(),
  operators: z.array(aName).optional(),
  uploaders: z.array(aName).optional(),
} satisfies OptionsOf<SignInSettings>);

export const userOptions = { signIn: SignIn } satisfies OptionsOf<UserSettings>;

const aList = (one: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(one));

export const userVariables = {
  EMEND_JWKS_URL: anAddress.optional(),
  EMEND_ISSUER: z.string().optional(),
  EMEND_AUDIENCE: z.string().optional(),
  EMEND_JWT_HEADER: aHeader.optional(),
  EMEND_PROXY: aList(aRange).optional(),
  EMEND_PROXY_HEADERS: aList(aHeader).pipe(z.array(z.string()).max(3)).optional(),
  EMEND_OIDC_ISSUER: anAddress.optional(),
  EMEND_OIDC_CLIENT_ID: z.string().optional(),
  EMEND_OIDC_CLIENT_SECRET: z.string().optional(),
  EMEND_CLAIMS: z.string().transform(claimsIn).optional(),
  EMEND_OPERATORS: aList(aName).optional(),
  EMEND_UPLOADERS: aList(aName).optional(),
};

type Env = z.infer<z.ZodObject<typeof userVariables>>;

/**
 * @param url the address of the server.
 * @throws UsageError that names the setting which is missing beside another.
 */
export function userSettings(options: UserSettings, env: Env, url: string | undefined): UserSettings {
  const signIn = options.signIn ?? signInFrom(env);
  if (signIn) requireWhole(signIn, url);
  return { signIn };
}

/** @throws UsageError that names what is missing, in the words of the environment. */
export function requireWhole({ jwt, oidc }: SignInSettings, url: string | undefined): void {
  if (jwt && !oidc) requireAll({ EMEND_JWKS_URL: jwt.jwksUrl, EMEND_ISSUER: jwt.issuer, EMEND_AUDIENCE: jwt.audience });
  if (jwt && oidc && (jwt.jwksUrl ?? jwt.issuer) !== undefined)
    requireAll({ EMEND_JWKS_URL: jwt.jwksUrl, EMEND_ISSUER: jwt.issuer });
  if (!oidc) return;
  requireAll({ EMEND_OIDC_ISSUER: oidc.issuer, EMEND_OIDC_CLIENT_ID: oidc.clientId, EMEND_URL: url });
  if (url?.startsWith("https:") && !oidc.issuer.startsWith("https:"))
    throw new UsageError("EMEND_OIDC_ISSUER must begin with https://, as EMEND_URL does.");
}

function requireAll(given: Readonly<Record<string, string | undefined>>): void {
  const missing = Object.keys(given).filter((name) => !given[name]);
  if (missing.length > 0)
    throw new UsageError(
      `${missing.join(" and ")} must be set: ${Object.keys(given).join(", ")} are needed together (docs/sign-in.md).`,
    );
}

function signInFrom(env: Env): SignInSettings | undefined {
  const jwt = {
    jwksUrl: env.EMEND_JWKS_URL,
    issuer: env.EMEND_ISSUER,
    audience: env.EMEND_AUDIENCE,
    header: env.EMEND_JWT_HEADER,
  };
  if (env.EMEND_PROXY_HEADERS && !env.EMEND_PROXY)
    throw new UsageError("EMEND_PROXY_HEADERS needs EMEND_PROXY: the addresses whose headers are believed.");
  const ways = {
    ...(Object.values(jwt).some(Boolean) && { jwt }),
    ...(env.EMEND_PROXY && { proxy: { from: env.EMEND_PROXY, headers: env.EMEND_PROXY_HEADERS } }),
    ...((env.EMEND_OIDC_ISSUER ?? env.EMEND_OIDC_CLIENT_ID ?? env.EMEND_OIDC_CLIENT_SECRET) !== undefined && {
      oidc: {
        issuer: env.EMEND_OIDC_ISSUER ?? "",
        clientId: env.EMEND_OIDC_CLIENT_ID ?? "",
        clientSecret: env.EMEND_OIDC_CLIENT_SECRET,
      },
    }),
  };
  if (Object.keys(ways).length === 0) return undefined;
  for (const name of ["EMEND_OPERATORS", "EMEND_UPLOADERS"] as const) {
    const stray = env.EMEND_CLAIMS === undefined && env[name]?.find((one) => !/^(?:everyone$|user:|group:)/.test(one));
    if (stray) throw new UsageError(`${name}: write user:${stray} or group:${stray}, since nobody is called ${stray}.`);
  }
  return { ...ways, claims: env.EMEND_CLAIMS, operators: env.EMEND_OPERATORS, uploaders: env.EMEND_UPLOADERS };
}

/** Reads the map from JSON, or "all" as it is. */
function claimsIn(text: string, { addIssue }: z.RefinementCtx): ClaimsMap {
  const { data, error } = Claims.safeParse(text.trim() === "all" ? "all" : parsedJson(text));
  if (error) addIssue('must be JSON such as {"readers": ["everyone", "group:{groups}"]}, or all');
  return data ?? {};
}

/** The header names in the order user, e-mail, groups. */
export const proxyHeaders = ({ headers = PROXY_HEADERS }: ProxySettings): readonly string[] => headers;

/** Says which ways there are, without secrets. */
export function signInInWords({ jwt, proxy, oidc }: SignInSettings): string {
  return [
    ...(oidc ? [`OIDC at ${oidc.issuer} as ${oidc.clientId}`] : []),
    ...(jwt ? [`tokens of ${jwt.issuer ?? oidc?.issuer}${jwt.audience ? ` for ${jwt.audience}` : ""}`] : []),
    ...(proxy ? [`${proxyHeaders(proxy)[0]} from ${proxy.from.join(", ")}`] : []),
  ].join("; ");
}

/** Returns the addresses in these ranges. */
export function addressesIn(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** False for a range of all addresses, which would believe everybody. */
function isRange(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  if (!/^[1-9]\d{0,2}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  // IPv6 has all addresses of IPv4, in ::ffff:0:0/96.
  const range = addressesIn([text]);
  return !["0.0.0.0", "255.255.255.255"].every((end) => range.check(end, "ipv4"));
}
