// An OpenID provider for the tests, at which people sign in without a page, and a client that lets them.
import { hash, randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { AUDIENCE } from "./signer.ts";

const CLIENT = "docs";
const CALLBACK = "http://127.0.0.1/callback";
/** Where the page is, on any port. */
const PAGE = "http://127.0.0.1/docs/";
const SCOPES = "read write";

/** The most redirects from the authorization to the callback. */
const MOST_STEPS = 10;

export interface Tokens {
  access_token: string;
  id_token: string;
}

export interface Provider {
  url: string;
  /** Signs somebody in, by code and PKCE. */
  signIn(subject: string): Promise<Tokens>;
  /** Signs with another key from now on. */
  rotate(): Promise<void>;
  stop(): Promise<unknown>;
}

/** What is used of `oidc-provider`, which has no types. */
interface Oidc {
  callback(): RequestListener;
  interactionDetails(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<{ params: { login_hint: string } }>;
  interactionFinished(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    result: object,
  ): Promise<void>;
}

interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}

interface Context {
  oidc: {
    provider: { Grant: new (of: object) => Grant };
    client: { clientId: string };
    session: { accountId: string };
  };
}

/** The settings of a provider whose access tokens are JWTs for one server, with roles. */
const configuration = (key: JWK) => ({
  jwks: { keys: [key] },
  cookies: { keys: ["not a secret"] },
  clients: [{
    client_id: CLIENT,
    application_type: "native",
    redirect_uris: [CALLBACK, PAGE],
    post_logout_redirect_uris: [PAGE],
    response_types: ["code"],
    grant_types: ["authorization_code"],
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: "ES256",
  }],
  pkce: { required: () => true },
  clientBasedCORS: () => true,
  findAccount: (_: Context, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
  extraTokenClaims: () => ({ roles: ["editor"] }),
  interactions: { url: () => "/interaction" },
  async loadExistingGrant({ oidc: { provider, client, session } }: Context): Promise<Grant> {
    const grant = new provider.Grant({
      clientId: client.clientId,
      accountId: session.accountId,
    });
    grant.addOIDCScope("openid");
    grant.addResourceScope(AUDIENCE, SCOPES);
    await grant.save();
    return grant;
  },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: {
      logoutSource: (context: { body: string }, form: string) => void (context.body = form),
    },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: SCOPES,
        audience: AUDIENCE,
        accessTokenFormat: "jwt",
        accessTokenTTL: 600,
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 60,
    Grant: 600,
    IdToken: 600,
    Interaction: 600,
    Session: 600,
  },
});

async function keyNamed(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { ...await exportJWK(privateKey), kid, alg: "ES256", use: "sig" };
}

export async function startProvider(): Promise<Provider> {
  let oidc: Oidc;
  let keys = 0;
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url !== "/interaction") return oidc.callback()(incoming, outgoing);
    const { params } = await oidc.interactionDetails(incoming, outgoing);
    const login = { accountId: params.login_hint };
    await oidc.interactionFinished(incoming, outgoing, { login, consent: {} });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function rotate(): Promise<void> {
    oidc = await quietly(async () => {
      const name: string = "oidc-provider"; // no literal, because it has no types
      const { default: Provider } = await import(name);
      return new Provider(url, configuration(await keyNamed(`key ${++keys}`)));
    });
  }
  await rotate();

  return {
    url,
    signIn: (subject) => signIn(url, subject),
    rotate,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Does work that prints notices, without them. */
async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  const { info, warn } = console;
  console.info = console.warn = () => {};
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

/** Goes the way of a browser, from the authorization to the tokens. */
async function signIn(url: string, subject: string): Promise<Tokens> {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    client_id: CLIENT,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: `openid ${SCOPES}`,
    resource: AUDIENCE,
    login_hint: subject,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256",
  });
  const cookies = new Map<string, string>();
  let place = new URL(`${url}/auth?${query}`);
  for (let steps = 0; !place.href.startsWith(CALLBACK); steps++) {
    if (steps === MOST_STEPS) throw new Error(`The provider leads in a circle: ${place}`);
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(place, { redirect: "manual", headers: { cookie } });
    const text = await response.text();
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null) throw new Error(`The provider answers ${response.status}: ${text}`);
    place = new URL(next, place);
  }
  const response = await fetch(`${url}/token`, {
    method: "POST",
    body: new URLSearchParams({
      client_id: CLIENT,
      redirect_uri: CALLBACK,
      grant_type: "authorization_code",
      code: place.searchParams.get("code") ?? "",
      code_verifier: verifier,
      resource: AUDIENCE,
    }),
  });
  return await response.json();
}
