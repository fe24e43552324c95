// An issuer of the tests' own: it publishes keys, signs whatever it is told to, and can fail in every way.
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from "jose";
import type { AppOptions } from "./house.ts";

export type Issuer = NonNullable<AppOptions["issuer"]>;

/** A pair of keys under a name. */
export interface Pair {
  alg: string;
  kid: string;
  secret: CryptoKey;
  open: JWK;
}

export const AUDIENCE = "https://api.example.org";

export async function pairOf(alg: string, kid = alg): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, secret: privateKey, open: { ...await exportJWK(publicKey), kid } };
}

type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export interface Signer {
  /** As the settings of a server name it. */
  issuer: Issuer;
  /** What it publishes. */
  keys: JWK[];
  /** How often its keys were asked for. */
  reads(): number;
  /** Answers requests for its keys from now on; without a function, as an issuer does. */
  answerBy(answer?: Answer): void;
  stop(): Promise<unknown>;
}

/** Starts an issuer that publishes these keys. */
export async function startSigner(...pairs: Pair[]): Promise<Signer> {
  let reads = 0;
  let answer: Answer | undefined;
  const server = createServer((incoming, outgoing) => {
    const send = (value: unknown) => outgoing.end(JSON.stringify(value));
    if (incoming.url === "/.well-known/openid-configuration") {
      return send({ issuer: url, jwks_uri: `${url}/keys` });
    }
    reads++;
    if (answer && incoming.url === "/keys") return answer(incoming, outgoing);
    send({ keys: signer.keys });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signer: Signer = {
    issuer: {
      url,
      audiences: [AUDIENCE, "store"],
      audienceClaim: "aud",
      keys: undefined,
      readScope: undefined,
      writeScope: undefined,
    },
    keys: pairs.map(({ open }) => open),
    reads: () => reads,
    answerBy: (next) => void (answer = next),
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return signer;
}

/** Seconds since 1970, so many from now. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** The claims of a token that is valid for ten minutes, with others; undefined takes one away. */
export function claimsOf({ issuer }: Signer, others: object = {}): Record<string, unknown> {
  const usual = { iss: issuer.url, aud: AUDIENCE, sub: "ann", exp: inSeconds(600) };
  return JSON.parse(JSON.stringify({ ...usual, ...others }));
}

/** A token that a pair of keys signs. */
export function signed(
  claims: Record<string, unknown>,
  { alg, kid, secret }: Pair,
  header: object = {},
): Promise<string> {
  const head = JSON.parse(JSON.stringify({ alg, kid, ...header })) as JWTHeaderParameters;
  return new SignJWT(claims).setProtectedHeader(head).sign(secret, {
    crit: { "urn:example:crit": true },
  });
}

/** The parts of a token that nobody signs. */
export function unsigned(claims: object, header: object, signature = ""): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part(header)}.${part(claims)}.${signature}`;
}
