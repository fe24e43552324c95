// The one table from errors to problems, by the codes that Postgres, the client, the system and TLS
// give their errors.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isContentError, isRaised, Problem, toProblem } from "./house.ts";

const test = suite("the problem of an error");

const expected = {
  still_referenced: ["23503"],
  out_of_time: ["57014"],
  unavailable: [
    ...["42P01", "42703", "40001", "40P01", "53100", "53300", "55P03", "57P01", "57P03", "58030"],
    ...["08006", "28P01", "3D000", "25006", "42501", "42704"],
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

/** Errors of one SQLSTATE, as far as the routines of Postgres tell them apart. */
const limits: [routine: string, code: string][] = [
  ["GetNewTransactionId", "unavailable"],
  ["GetNewMultiXactId", "unavailable"],
  ["mdextend", "unavailable"],
  ["ExtendBufferedRelShared", "unavailable"],
  ["_bt_check_third_page", "internal"],
  ["index_form_tuple_context", "internal"],
  ["exec_stmt_raise", "internal"],
];

for (const [routine, code] of limits) {
  test(`at the program limit of ${routine} is ${code}`, () => {
    const error = Object.assign(new Error(), { name: "PostgresError", code: "54000", routine });
    assert.is(toProblem(error).code, code);
    assert.is(isContentError(error), code === "internal", "A row can be refused for its content");
  });
}

/** Where the SQL that names what is not there came to be, and what is said of it. */
const places: [context: string, detail: string][] = [
  ["PL/pgSQL function meddle() line 3 at SQL statement", "A function of the database fails"],
  ["PL/pgSQL-Funktion meddle() Zeile 3 bei EXECUTE", "A function of the database fails"],
  ["PL/pgSQL関数meddle()の3行目 - PERFORM", "A function of the database fails"],
  [
    "PL/pgSQL function meddle() line 3 at PERFORM\nPL/pgSQL function relata_each(text,json,boolean)",
    "A function of the database fails",
  ],
  [
    'SQL statement "create table absent.other ()"\nPL/pgSQL function meddle() line 3 at EXECUTE',
    "A function of the database fails",
  ],
  [
    "PL/pgSQL function relata_each(text,json,boolean) line 51 at EXECUTE",
    "The database lacks the schema of this server",
  ],
  [`SQL statement "select 'PL/pgSQL'"`, "The database lacks the schema of this server"],
  ["", "The database lacks the schema of this server"],
];
for (const [where, detail] of places) {
  test(`tells who lacks a table where the context is ${JSON.stringify(where)}`, () => {
    const error = Object.assign(new Error(), { name: "PostgresError", code: "42P01", where });
    assert.equal([toProblem(error).code, toProblem(error).message], ["unavailable", detail]);
  });
}

/** The beginnings of contexts, in the languages of Postgres. */
const contexts: [context: string, isRaised: boolean][] = [
  ["PL/pgSQL function meddle() line 3 at RAISE", true],
  ['PL/pgSQL function "Meddle"(text) line 3 at RAISE\nSQL statement "select 1"', true],
  ["PL/pgSQL-Funktion meddle() Zeile 3 bei RAISE", true],
  ["fonction PL/pgSQL meddle(), ligne 3 à RAISE", true],
  ['PL/pgSQL 함수 "meddle()" 의 3번째 RAISE', true],
  ["在RAISE的第3行的PL/pgSQL函数meddle()", true],
  ["PL/pgSQL関数meddle()の3行目 - RAISE", true],
  ["meddle() PL/pgSQL fonksiyonu, 3. satır, RAISE içinde", true],
  ["PL/pgSQL function meddle() line 3 at ASSERT", false],
  ["PL/pgSQL function meddle() line 3 at SQL statement", false],
  ["PL/pgSQL function one() line 3 at EXECUTE\nPL/pgSQL function two() line 3 at RAISE", false],
  [`SQL statement "insert into other values ('PL/pgSQL RAISE')"`, false],
  ["SQL-Anweisung »insert into other values ('PL/pgSQL RAISE')«", false],
  ["sentencia SQL: «insert into other values ('PL/pgSQL RAISE')»", false],
  ["", false],
];

for (const [where, expected] of contexts) {
  test(`is ${expected ? "" : "not "}that of RAISE where the context is ${JSON.stringify(where)}`, () => {
    assert.is(isRaised({ where }), expected);
    assert.is(isRaised({ where, routine: "exec_stmt_raise" }), true);
    assert.is(isRaised({ where, routine: "_bt_check_unique" }), false);
  });
}

test("is the error itself if that is a problem", () => {
  const problem = new Problem("not_found", "There is nothing at this path");
  assert.is(toProblem(problem), problem);
});

test.run();
