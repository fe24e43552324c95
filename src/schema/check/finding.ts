// What a comparison of the declarations with the database finds.

export interface Finding {
  /** What differs, and what to do about it if that does not go without saying. */
  sentence: string;
  /** Whether requests fail because of it, whatever they hold. */
  fails: boolean;
  /** A line of SQL that mends it, where all requests are answered as declared, but some slowly. */
  wish?: string;
}

/** A difference that some requests meet, or none. */
export function differs(sentence: string): Finding {
  return { sentence, fails: false };
}

/** A difference because of which a route fails. */
export function fails(sentence: string): Finding {
  return { sentence, fails: true };
}

/** Something that is slow until a statement was run. */
export function isSlow(sentence: string, statement: string): Finding {
  return {
    sentence: `${sentence}: ${statement}`,
    fails: false,
    wish: `${statement}; -- ${sentence}`,
  };
}

/** Whether somebody has looked into it: a project says so of what makes no request fail. */
export function isSeen({ fails, sentence }: Finding, seen: string[]): boolean {
  return !fails && seen.includes(sentence);
}
