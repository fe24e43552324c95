// A line of those who wait, all for equally long at most: so the first in is the first due, and one
// timer serves them all.
import { setTimeout } from "node:timers";

/** A place in a line. Who leaves lets go of the places beside it: one that the garbage collector takes
 * for old would else keep alive all that came after it (as a `Set` does, by its tables). */
export class Turn<Member> {
  readonly member: Member;
  /** When it is given up, as `performance.now()` counts. */
  readonly due: number;
  before: Turn<Member> = this;
  after: Turn<Member> = this;

  constructor(member: Member, due: number) {
    this.member = member;
    this.due = due;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this.after = this;
  }
}

export interface Line<Member> {
  /** Takes the last place. */
  join(member: Member): Turn<Member>;
  /** Has the first leave, who has not been given up; undefined where nobody waits. */
  shift(): Member | undefined;
}

/** Makes a line in which those are given up who have waited for so many seconds. */
export function line<Member>(seconds: number, giveUp: (member: Member) => void): Line<Member> {
  // A ring, closed by a place that nobody has
  const ends = new Turn<Member>(undefined as Member, Infinity);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function shift(): Member | undefined {
    const { after: first } = ends;
    first.leave();
    return first.member;
  }

  function look(): void {
    timer = undefined;
    while (ends.after !== ends) {
      const left = ends.after.due - performance.now();
      if (left > 0) return wake(left);
      giveUp(shift()!);
    }
  }

  function wake(milliseconds: number): void {
    timer ??= setTimeout(look, milliseconds).unref();
  }

  return {
    join(member) {
      const turn = new Turn(member, performance.now() + seconds * 1000);
      turn.before = ends.before;
      turn.after = ends;
      turn.before.after = ends.before = turn;
      wake(seconds * 1000);
      return turn;
    },
    shift,
  };
}
