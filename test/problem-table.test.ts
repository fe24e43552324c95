// The one table from errors to problems, by the codes that Postgres, the client, the system and TLS
// give their errors.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Problem, toProblem } from "./house.ts";

const test = suite("the problem of an error");

const expected = {
  still_referenced: ["23503"],
  out_of_time: ["57014"],
  unavailable: [
    ...["42P01", "42703", "40001", "40P01", "53100", "53300", "55P03", "57P01", "57P03", "58030"],
    ...["08006", "28P01", "3D000", "25006", "42501"],
    ...["CONNECT_TIMEOUT", "CONNECTION_CLOSED", "CONNECTION_ENDED", "ECONNREFUSED", "ENOTFOUND"],
    ...["EADDRNOTAVAIL", "EAI_AGAIN", "EINVAL", "EMFILE", "ENETUNREACH"],
    ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"],
    ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ...["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "ERR_SSL_WRONG_VERSION_NUMBER"],
  ],
  internal: ["22003", "23514", "42601", "ERR_INVALID_ARG_TYPE", ""],
};

for (const [code, those] of Object.entries(expected)) {
  for (const error of those) {
    test(`with the code "${error}" is ${code}`, () => {
      assert.is(toProblem(Object.assign(new Error("It failed"), { code: error })).code, code);
    });
  }
}

test("is the error itself if that is a problem", () => {
  const problem = new Problem("not_found", "There is nothing at this path");
  assert.is(toProblem(problem), problem);
});

test.run();
