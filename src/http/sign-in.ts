// How people sign in on the page: what it needs to know of the issuer, which is read in the background. Where it cannot
// be read, the page goes without.
import * as v from "valibot";
import { isOrigin, type Issuer } from "../config.ts";
import type { SignIn } from "../model/model.ts";
import { errorMembers, type Log } from "../telemetry/log.ts";
import { discover } from "./discovery.ts";

/** Milliseconds after which it is read again for a page. */
const FRESH = 600_000;

/** The same after it could not be read, and for each answer of the issuer. */
const PAUSE = 5000;

/** An address to which a browser may be sent; its origin can stand in a content policy. */
const endpoint = v.pipe(v.string(), v.check((text) => isOrigin(URL.parse(text)?.origin ?? "")));

const endpoints = v.object({
  authorization_endpoint: endpoint,
  token_endpoint: endpoint,
  end_session_endpoint: v.optional(endpoint),
});

/** Begins to read it. What it gives tells how people sign in, as far as that is known by now. */
export function signInAt(
  { url, signIn }: Issuer,
  log: Log,
): (() => SignIn | undefined) | undefined {
  if (signIn === undefined) return undefined;
  const parameters = signIn;
  let known: SignIn | undefined;
  let begunAt = -Infinity;

  async function read(): Promise<void> {
    try {
      const told = v.parse(endpoints, await discover(url, PAUSE));
      known = {
        issuer: url,
        authorization: told.authorization_endpoint,
        token: told.token_endpoint,
        end: told.end_session_endpoint,
        parameters,
      };
    } catch (error) {
      known = undefined;
      log("warn", "Nobody can sign in on the page now", errorMembers(error));
    }
  }

  function current(): SignIn | undefined {
    const now = performance.now();
    if (now - begunAt >= (known ? FRESH : PAUSE)) {
      begunAt = now;
      read();
    }
    return known;
  }

  current();
  return current;
}
