// The one table of what a change of the interface means. What clients send may
// only become freer, what they receive may only become surer: the two directions mirror each other.

export const verdicts = ["breaking", "compatible"] as const;
export const bumps = ["major", "minor", "patch"] as const;

export type Verdict = (typeof verdicts)[number];

/** The part of a version (Semantic Versioning 2.0.0) that a change asks to be raised. */
export type Bump = (typeof bumps)[number];

export interface Rule {
  verdict: Verdict;
  bump: Bump;
  sentence: string;
}

/** Callers that worked may fail. */
const breaking = (sentence: string): Rule => ({ verdict: "breaking", bump: "major", sentence });
/** Callers keep working, and can rely on something new. */
const addition = (sentence: string): Rule => ({ verdict: "compatible", bump: "minor", sentence });
/** Callers keep working, and can rely on nothing new. */
const unnoticed = (sentence: string): Rule => ({ verdict: "compatible", bump: "patch", sentence });

export const rules = {
  /** What clients send, and where they send it. */
  request: {
    "path-removed": breaking("Clients find nothing at this path"),
    "path-added": addition("Clients can use a new path"),
    "path-parameter-renamed": unnoticed("No request bears the name of a path parameter"),
    "method-removed": breaking("The path no longer answers this method"),
    "method-added": addition("The path answers a new method"),
    "operation-renamed": unnoticed("Requests are the same, generated clients have another name"),
    "servers-changed": unnoticed("The interface is the same at another address"),
    "security-tightened": breaking("Credentials that sufficed no longer do"),
    "security-loosened": addition("Fewer or other credentials suffice too"),

    "parameter-removed": breaking("The server no longer knows a parameter that clients send"),
    "parameter-moved": breaking("The server looks for the parameter in another place"),
    "parameter-style-changed": breaking("The server reads the parameter in another notation"),
    "parameter-became-required": breaking("Clients that leave the parameter out are refused"),
    "parameter-became-optional": addition("Clients may leave the parameter out"),
    "required-parameter-added": breaking("Clients do not send the new required parameter"),
    "optional-parameter-added": addition("Clients may send a new parameter"),

    "body-removed": breaking("The server no longer takes the body that clients send"),
    "body-became-required": breaking("Clients that send no body are refused"),
    "body-became-optional": addition("Clients may send no body"),
    "required-body-added": breaking("Clients do not send the new required body"),
    "optional-body-added": addition("Clients may send a body"),
    "media-type-removed": breaking("The server no longer takes this media type"),
    "media-type-added": addition("Clients may send another media type"),

    "type-changed": breaking("Values of the type that clients send are refused"),
    "type-widened": addition("Clients may send values of more types"),
    "type-narrowed": breaking("Values of some types that clients send are refused"),
    "became-nullable": addition("Clients may send null"),
    "no-longer-nullable": breaking("Clients that send null are refused"),
    "alternative-added": addition("Clients may send another form of the value"),
    "alternative-removed": breaking("One form of the value that clients send is refused"),
    "values-added": addition("Clients may send more values"),
    "values-removed": breaking("Some values that clients send are refused"),
    "limit-loosened": addition("Clients may send values beyond the old limit"),
    "limit-tightened": breaking("Values within the old limit are refused"),
    "limit-changed": breaking("Values within the old limit may be refused"),
    "format-loosened": addition("Clients may send values of any or a wider format"),
    "format-tightened": breaking("Values without the new or narrower format are refused"),
    "format-changed": breaking("Values of the old format are refused"),
    "member-removed": breaking("The server no longer knows a member that clients send"),
    "member-became-required": breaking("Clients that leave the member out are refused"),
    "member-became-optional": addition("Clients may leave the member out"),
    "required-member-added": breaking("Clients do not send the new required member"),
    "optional-member-added": addition("Clients may send a new member"),
    "object-closed": breaking("Members beyond the listed ones are refused"),
    "object-opened": addition("Clients may send members beyond the listed ones"),
    "default-changed": addition("What clients leave out now means something else"),
    "deprecated": addition("Clients should stop using it before it goes"),
    "not-judged": breaking("No rule judges what differs here, so it counts as breaking"),
  },

  /** What clients receive. */
  response: {
    "success-status-removed": breaking("Clients wait in vain for this status"),
    // A client must take an unknown status for the x00 of its class (RFC 9110, section 15).
    "success-status-added": addition("Clients may receive a new status of success"),
    // Clients met the error before where it was not declared, and errors are no promise to keep.
    "error-status-removed": unnoticed("Clients no longer receive this error"),
    "error-status-added": addition("Clients are told of an error, and know its class already"),
    "media-type-removed": breaking("Clients no longer receive this media type"),
    "media-type-added": addition("Clients may ask for another media type"),
    "header-removed": breaking("Clients that read the header find nothing"),
    "header-added": addition("Clients can read a new header"),
    "header-became-required": addition("Clients can rely on the header"),
    "header-became-optional": breaking("Clients that rely on the header may find nothing"),
    "link-removed": breaking("Clients that follow the link find nothing"),
    "link-added": addition("Clients can follow a new link"),

    "type-changed": breaking("Clients receive values of another type"),
    "type-widened": breaking("Clients may receive values of types they do not know"),
    "type-narrowed": addition("Clients can rely on fewer types"),
    "became-nullable": breaking("Clients may receive null"),
    "no-longer-nullable": addition("Clients can rely on a value other than null"),
    "alternative-added": breaking("Clients may receive a form of the value they do not know"),
    "alternative-removed": addition("Clients can rely on fewer forms of the value"),
    "values-added": breaking("Clients may receive values they do not know"),
    "values-removed": addition("Clients can rely on fewer values"),
    "limit-loosened": breaking("Clients may receive values beyond the old limit"),
    "limit-tightened": addition("Clients can rely on a tighter limit"),
    "limit-changed": breaking("Clients may receive values beyond the old limit"),
    "format-loosened": breaking("Clients may receive values without the old format"),
    "format-tightened": addition("Clients can rely on the format"),
    "format-changed": breaking("Clients receive values of another format"),
    "member-removed": breaking("Clients that read the member find nothing"),
    "member-became-required": addition("Clients can rely on the member"),
    "member-became-optional": breaking("Clients that rely on the member may find nothing"),
    "required-member-added": addition("Clients always receive a new member"),
    "optional-member-added": addition("Clients may receive a new member"),
    "object-closed": addition("Clients receive the listed members alone"),
    "object-opened": breaking("Clients may receive members beyond the listed ones"),
    "default-changed": unnoticed("A default says nothing of what clients receive"),
    "deprecated": addition("Clients should stop reading it before it goes"),
    "not-judged": breaking("No rule judges what differs here, so it counts as breaking"),
  },
} as const satisfies Record<string, Record<string, Rule>>;

export type Direction = keyof typeof rules;
export type RuleOf<Way extends Direction> = keyof (typeof rules)[Way];

/** The rules of what is sent and received alike. */
export type SharedRule = RuleOf<"request"> & RuleOf<"response">;
