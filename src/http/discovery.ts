// What an issuer tells about itself (OpenID Connect Discovery 1.0).
import { download } from "./download.ts";

/** What is used of it, as it was sent. */
interface Discovery {
  jwks_uri: string;
  authorization_endpoint?: unknown;
  token_endpoint?: unknown;
  end_session_endpoint?: unknown;
}

/** Where an issuer tells about itself. */
export function discoveryOf(url: string): string {
  return `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

/** Reads it, within so many milliseconds. Throws as `download` does, and if it is of another issuer. */
export async function discover(url: string, milliseconds: number): Promise<Discovery> {
  const address = discoveryOf(url);
  const { issuer, ...told } = JSON.parse(await download(address, milliseconds));
  if (issuer !== url) throw new Error(`"${address}" is of another issuer than JWT_ISSUER`);
  return told;
}
