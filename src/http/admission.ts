// Admission control: how long a request may take, and how many may use the database at once. Each
// request has one deadline, and one seat while it uses the database.
import { setTimeout } from "node:timers";
import { Problem } from "../errors/problem.ts";
import type { Load } from "../telemetry/metrics.ts";
import { SHARES } from "../time.ts";

/** The time of a request. All of them form a ring, because a `Set` or an array would move each to the old generation
 * of the garbage collector (a tenth of the time of a read). For the same reason one that leaves drops its neighbours:
 * an old one would keep all later ones alive. */
export class Deadline {
  /** When it is over, on the clock of `performance.now()`. */
  readonly due: number;
  /** Called then. */
  readonly giveUp: (problem: Problem) => void;
  /** Whether the body is still arriving: then the client is too slow, not the server. */
  isArriving = false;
  /** Why the request was given up; undefined before. */
  late: Problem | undefined;
  before: Deadline = this;
  after: Deadline = this;

  constructor(due: number, giveUp: (problem: Problem) => void = () => {}) {
    this.due = due;
    this.giveUp = giveUp;
  }

  follow(other: Deadline): void {
    this.before = other;
    this.after = other.after;
    other.after = this.after.before = this;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this.after = this;
  }
}

/** A request that waits for a seat. */
interface WaitingRequest {
  deadline: Deadline;
  due: number;
  enter(): void;
  refuse(problem: Problem): void;
}

export interface Admission {
  load: Load;
  /** Starts the clock of a request; calls `giveUp` if its deadline passes before `end`. */
  begin(giveUp: (problem: Problem) => void): Deadline;
  /** Does work that uses the database, in a seat that it keeps until the work ends; throws a problem if
   * no seat becomes free in time. */
  seated<Result>(deadline: Deadline, work: () => Result | Promise<Result>): Promise<Result>;
  /** Forgets a request that was answered. */
  end(deadline: Deadline): void;
  /** Resolves when no request is under way. */
  drain(): Promise<void>;
}

/** Admits requests with `timeLimit` seconds each; `capacity` of them may use the database at once. */
export function createAdmission(capacity: number, timeLimit: number): Admission {
  const milliseconds = timeLimit * 1000;
  const load: Load = { underWay: 0, seated: 0, refused: 0 };
  /** Closes the ring: the earliest deadline comes after it, the latest before it. */
  const sentinel = new Deadline(Infinity);
  /** In the order of arrival. */
  const queue: WaitingRequest[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let idle: PromiseWithResolvers<void> | undefined;

  /** Gives up the requests whose time is over, and refuses those that have waited too long for a seat. */
  function checkClock(): void {
    const now = performance.now();
    for (let first = sentinel.after; first.due <= now; first = sentinel.after) {
      first.leave();
      first.late = lateness(first, timeLimit);
      first.giveUp(first.late);
    }
    while (queue.length > 0 && queue[0]!.due <= now) {
      const { deadline, refuse } = queue.shift()!;
      if (!deadline.late) load.refused++;
      refuse(deadline.late ?? new Problem("unavailable", "Too many requests are under way"));
    }
    timer = load.underWay > 0
      ? setTimeout(checkClock, milliseconds * SHARES.look).unref()
      : undefined;
  }

  /** Gives the seat to the request that has waited longest and is not late. */
  function passSeatOn(): void {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!next.deadline.late) return next.enter();
      next.refuse(next.deadline.late);
    }
    load.seated--;
  }

  return {
    load,

    begin(giveUp) {
      load.underWay++;
      const deadline = new Deadline(performance.now() + milliseconds, giveUp);
      deadline.follow(sentinel.before);
      timer ??= setTimeout(checkClock, milliseconds * SHARES.look).unref();
      return deadline;
    },

    async seated(deadline, work) {
      if (deadline.late) throw deadline.late;
      if (load.seated < capacity) load.seated++;
      else {
        const due = performance.now() + milliseconds * SHARES.seat;
        await new Promise<void>((enter, refuse) => queue.push({ deadline, due, enter, refuse }));
      }
      try {
        return await work();
      } finally {
        passSeatOn();
      }
    },

    end(deadline) {
      deadline.leave();
      load.underWay--;
      if (load.underWay > 0) return;
      idle?.resolve();
      idle = undefined;
    },

    async drain() {
      if (load.underWay > 0) await (idle ??= Promise.withResolvers()).promise;
    },
  };
}

/** The problem of a late request: its client or this server was too slow. */
function lateness({ isArriving }: Deadline, seconds: number): Problem {
  return isArriving
    ? new Problem("request_timeout", `The body took more than ${seconds} seconds`)
    : new Problem("out_of_time", `The request took more than ${seconds} seconds`);
}
