// Who gives the callers of the shop their tokens. Apart from the load, whose generator the tests do not install.
import { createPublicKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimsOf, inSeconds, pairOf, signed, startSigner } from "../signer.ts";
import { DAY } from "./settings.ts";

/** Starts an issuer. Resolves to what the servers are told of it, and to the header with one of its tokens. */
export async function issued(folder: string) {
  const pair = await pairOf("RS256");
  const signer = await startSigner(pair);
  const file = join(folder, "key.pem");
  const key = createPublicKey({ key: pair.open, format: "jwk" });
  writeFileSync(file, key.export({ type: "spki", format: "pem" }));
  const { url, audiences: [audience = ""] } = signer.issuer;
  const claims = claimsOf(signer, { sub: "caller 7", exp: inSeconds(DAY / 1000) });
  return {
    settings: { JWT_ISSUER: url, JWT_AUDIENCE: audience, JWT_PUBLIC_KEY: file },
    headers: { authorization: `Bearer ${await signed(claims, pair)}` },
    stop: signer.stop,
  };
}
