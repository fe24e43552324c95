// The public keys of the issuer. They are read in the background, and stay while it is away: nothing waits for the
// issuer but a token whose key is not known yet.
import { readFile } from "node:fs/promises";
import { clearTimeout, setTimeout } from "node:timers";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import type { Issuer } from "../config.ts";
import { Problem } from "../errors/problem.ts";
import { errorMembers, type Log } from "../telemetry/log.ts";
import { discover } from "./discovery.ts";
import { download } from "./download.ts";

/** All in milliseconds. */
const KEY_TIMES = {
  /** From one reading to the next. */
  fresh: 600_000,
  /** The same while the issuer is away. */
  retry: 60_000,
  /** Between two warnings; a little less, so that none is missed because a timer is early. */
  quiet: 59_000,
  /** Between two readings for keys that are not known. */
  pause: 5000,
  /** For each answer of the issuer. */
  answer: 5000,
  /** How long keys stay while the issuer is away. */
  kept: 86_400_000,
};

export interface Keys {
  /** The key that the header of a token names. Throws an error of jose if the issuer has no such key, or a problem
   * if the issuer is away, so that nobody knows. */
  find: JWTVerifyGetKey;
  /** What the metrics tell: seconds since the keys were read, or since the start, and the readings that failed. */
  state(): { age: number; failures: number };
}

interface KeysOptions {
  log: Log;
  /** Called when a key that was there is no longer. */
  onWithdrawal(): void;
  /** Ends the reading. */
  ending: AbortSignal;
  times?: Partial<typeof KEY_TIMES>;
}

/** Begins to read the keys, again and again. */
export function issuerKeys(
  issuer: Issuer,
  { log, onWithdrawal, ending, times }: KeysOptions,
): Keys {
  const { fresh, retry, quiet, pause, answer, kept } = { ...KEY_TIMES, ...times };
  let keySet: ReturnType<typeof createLocalJWKSet> | undefined;
  let [readAt, begunAt, warnedAt] = [performance.now(), -Infinity, -Infinity];
  let failures = 0;
  let isAway = true;
  let reading: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  ending.addEventListener("abort", () => clearTimeout(timer));

  /** Reads the keys; all who ask meanwhile share it. */
  function read(): Promise<void> {
    return reading ??= readOnce().finally(() => reading = undefined);
  }

  async function readOnce(): Promise<void> {
    clearTimeout(timer);
    begunAt = performance.now();
    try {
      take(createLocalJWKSet(await keySetOf(issuer, answer)));
    } catch (error) {
      isAway = true;
      failures++;
      warn(error);
    }
    if (!ending.aborted) timer = setTimeout(read, isAway ? retry : fresh).unref();
  }

  function take(next: NonNullable<typeof keySet>): void {
    const texts = next.jwks().keys.map((key) => JSON.stringify(key));
    const isWithdrawn = keySet?.jwks().keys.some((key) => !texts.includes(JSON.stringify(key)));
    keySet = next;
    readAt = performance.now();
    isAway = false;
    if (isWithdrawn) onWithdrawal();
  }

  function warn(error: unknown): void {
    const now = performance.now();
    if (now - warnedAt < quiet) return;
    warnedAt = now;
    log("warn", "The keys of the issuer cannot be read", errorMembers(error));
  }

  /** The key, if it is known. */
  async function known(...header: Parameters<JWTVerifyGetKey>) {
    if (!keySet || performance.now() - readAt > kept) return undefined;
    try {
      return await keySet(...header);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      throw error;
    }
  }

  read();

  return {
    async find(...header) {
      const key = await known(...header);
      if (key) return key;
      if (reading || performance.now() - begunAt >= pause) {
        await read();
        const key = await known(...header);
        if (key) return key;
      }
      if (!isAway) throw new errors.JWKSNoMatchingKey();
      throw new Problem("unavailable", "The issuer of the token cannot be asked for its keys", {
        headers: { "Retry-After": String(Math.ceil(pause / 1000)) },
      });
    },
    state: () => ({ age: (performance.now() - readAt) / 1000, failures }),
  };
}

/** Reads the key set where JWT_KEYS says, or where the issuer's discovery does. */
async function keySetOf({ url, keys }: Issuer, milliseconds: number): Promise<JSONWebKeySet> {
  if (keys !== undefined) {
    return JSON.parse(
      keys.includes("://") ? await download(keys, milliseconds) : await readFile(keys, "utf8"),
    );
  }
  const { jwks_uri: place } = await discover(url, milliseconds);
  return JSON.parse(await download(place, milliseconds));
}
