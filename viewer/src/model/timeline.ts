// The changes of a window in order of time: what happened at T, what happens next to a node, a field
// or at a line.
import { lastAtMost } from "./search";
import type { Window } from "./window";

export interface Change {
  timestamp: number;
  what: "born" | "freed" | "written" | "meaning";
  node: number;
  /** The field and version of a write, else -1. */
  field: number;
  version: number;
  site: number;
  thread: number;
}

export class Timeline {
  /** Codes of changes: versions first, then births, then deaths. */
  private readonly order: Uint32Array;
  private readonly times: Uint32Array;

  constructor(private readonly window: Window) {
    const { nodes, versions } = window;
    // Time and code in one number: sorted without a comparison of our own, which a million want.
    const total = versions.count + 2 * nodes.count + 1;
    const keys = new Float64Array(total);
    let count = 0;
    const add = (code: number) => (keys[count++] = this.timeOf(code) * total + code);
    for (let version = 0; version < versions.count; version++) {
      if (!versions.silent[version]) add(version);
    }
    for (let row = 0; row < nodes.count; row++) {
      if ((nodes.born[row] as number) >= 0) add(versions.count + row);
      if ((nodes.freed[row] as number) >= 0) add(versions.count + nodes.count + row);
    }
    const sorted = keys.subarray(0, count).sort();
    this.order = Uint32Array.from(sorted, (key) => key % total);
    this.times = Uint32Array.from(sorted, (key) => Math.floor(key / total));
  }

  /** The changes at T; the first is the one that a statement made, consequences follow. */
  at(t: number): Change[] {
    const end = lastAtMost(this.times, t, 0, this.times.length);
    const found: Change[] = [];
    for (let index = end; index >= 0 && this.times[index] === t; index--)
      found.push(this.change(index));
    return found.sort((a, b) => Number(a.what === "meaning") - Number(b.what === "meaning"));
  }

  /** The change that T stands for: one at T, best of what is drawn, else the last of that, whose
   * moments are given in order. */
  current(
    t: number,
    isDrawn: (node: number) => boolean,
    moments: ArrayLike<number>,
  ): Change | null {
    const here = this.at(t);
    const exact =
      here.find((change) => isDrawn(change.node)) ??
      here.find((change) => !this.window.isSection(change.node));
    if (exact) return exact;
    const last = moments[lastAtMost(moments, t - 1, 0, moments.length)];
    return last === undefined ? null : (this.at(last).find((c) => isDrawn(c.node)) ?? null);
  }

  /** The next (or, with -1, previous) timestamp at which a change is as wanted. */
  next(t: number, direction: 1 | -1, wanted: (change: Change) => boolean): number | null {
    const here = lastAtMost(this.times, direction > 0 ? t : t - 1, 0, this.times.length);
    for (
      let index = direction > 0 ? here + 1 : here;
      index >= 0 && index < this.order.length;
      index += direction
    ) {
      if (wanted(this.change(index))) return this.times[index] as number;
    }
    return null;
  }

  /** The first changes that are as wanted. */
  select(limit: number, wanted: (change: Change) => boolean): Change[] {
    const found: Change[] = [];
    for (let index = 0; index < this.order.length && found.length < limit; index++) {
      const change = this.change(index);
      if (wanted(change)) found.push(change);
    }
    return found;
  }

  private timeOf(code: number): number {
    const { nodes, versions } = this.window;
    if (code < versions.count) return versions.from[code] as number;
    const row = code - versions.count;
    return (row < nodes.count ? nodes.born[row] : nodes.freed[row - nodes.count]) as number;
  }

  private change(index: number): Change {
    const { nodes, fields, versions } = this.window;
    const code = this.order[index] as number;
    const timestamp = this.times[index] as number;
    if (code < versions.count) {
      const field = lastAtMost(fields.firstVersion, code, 0, fields.count);
      return {
        timestamp,
        what: versions.kind(code) === "meaning" ? "meaning" : "written",
        node: fields.node[field] as number,
        field,
        version: code,
        site: versions.site[code] as number,
        thread: versions.thread[code] as number,
      };
    }
    const row = code - versions.count;
    const isBirth = row < nodes.count;
    const node = isBirth ? row : row - nodes.count;
    const site = (isBirth ? nodes.bornSite : nodes.freedSite)[node] as number;
    return {
      timestamp,
      what: isBirth ? "born" : "freed",
      node,
      field: -1,
      version: -1,
      site,
      thread: -1,
    };
  }
}
