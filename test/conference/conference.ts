// The sibling of the music store, a conference: identifiers of every type, which clients, the server or the database
// give, links between rows of one resource, JSON, arrays and amounts of any length.
import { type Project, readProject } from "../projects.ts";

/** The example of every UUID. */
const id = "01943f6c-8f2b-7c3a-9d5e-2b1f0a6c4d7e";

export const conference: Project = {
  ...await readProject(new URL(".", import.meta.url), "conference"),
  rows: {
    "/api/editions/": [{ year: 2026, city: "Tromsø" }, { year: 2025, city: "Bodø" }],
    "/api/rooms/": [{ code: "A/1", name: "Great hall", seats: 300 }, { code: "A/0" }],
    "/api/people/": [{ login: "svein b" }, { login: "ann", follows: ["svein b"] }],
    "/api/talks/": [{ id, title: "Eple", edition: 2026, room: "A/1", speakers: ["svein b"] }],
    "/api/vouchers/": [{ code: "XMAS-7" }],
    "/api/tickets/": [{ id, edition: 2026, holder: "svein b" }],
    "/api/visits/": [{ id, talk: id, ticket: id }],
    "/api/biographies/": [{ person: "svein b", line: "Made Eple" }],
    "/api/attendances/": [{ person: "svein b", edition: 2025 }],
    "/api/sessions/": [{ hall: "North", on: "2026-11-21", half: "morning" }],
  },
  rules: {
    unique: {
      ticket: [["voucher"]],
    },
    rejects: {
      edition: ({ year }) => Number(year) < -32_768 || Number(year) > 32_767 ? "year" : undefined,
    },
    onDelete: {
      "talk.after": "set null",
      "talk.related": "cascade",
      "session.host": "set null",
      "session.talk": "set null",
      "ticket.holder": "set null",
      "visit.talk": "cascade",
    },
  },
};
