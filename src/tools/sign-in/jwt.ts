import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import { EndpointError, inWords, NotSignedInError } from "../../errors.js";
import type { Claims } from "./claims.js";

/** Who signs the tokens that are accepted, and for whom. */
export interface Issuer {
  issuer: string;
  jwksUrl: string;
  /** `aud` has to contain one of them. */
  audiences: readonly string[];
}

/**
 * Returns a function that checks a token and returns its claims. Keys are read again if a token names an unknown one.
 * @throws NotSignedInError if the token is not valid; EndpointError if the keys cannot be had.
 */
export function jwtChecker({ issuer, jwksUrl, audiences }: Issuer): (token: string) => Promise<Claims> {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        requiredClaims: ["exp", "sub"],
        clockTolerance: CLOCK_TOLERANCE,
      });
      return payload;
    } catch (error) {
      if (isFaultOfToken(error)) throw new NotSignedInError(`The token is not accepted: ${error.message}.`);
      throw unreachable(jwksUrl, error);
    }
  };
}

/** Reads the keys at an address and returns how many there are. @throws EndpointError if they cannot be had. */
export async function countKeys(jwksUrl: string): Promise<number> {
  const keys = createRemoteJWKSet(new URL(jwksUrl));
  await keys.reload().catch((error: unknown) => {
    throw unreachable(jwksUrl, error);
  });
  return keys.jwks()?.keys.length ?? 0;
}

const unreachable = (jwksUrl: string, error: unknown) =>
  new EndpointError(`The keys at ${jwksUrl} cannot be had: ${inWords(error)}`, 0, { cause: error });

/** What only the holder of a private key can sign. Neither `none` nor those with a shared secret. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** In seconds. */
const CLOCK_TOLERANCE = 30;

const isFaultOfToken = (error: unknown): error is Error =>
  [
    errors.JWTClaimValidationFailed,
    errors.JWTExpired,
    errors.JWTInvalid,
    errors.JWSInvalid,
    errors.JWSSignatureVerificationFailed,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWKSNoMatchingKey,
    errors.JWKSMultipleMatchingKeys,
  ].some((kind) => error instanceof kind);
