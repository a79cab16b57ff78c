// Pointers of a stretch of time: who led where, and how long.
import { POINTER_STATES, type Window } from "../model/window";

export interface Link {
  field: number;
  /** Row of the node, or -1 where it is not in the window. */
  target: number;
  /** How much of the stretch it stood, from 0 to 1. */
  share: number;
  /** Whether it stood at the moment that the picture is made for. */
  now: boolean;
}

export interface Stretch {
  first: number;
  last: number;
  at: number;
}

/** Where nodes lead within a stretch; each is looked at once. */
export class Links {
  private readonly known = new Map<number, Link[]>();

  constructor(
    readonly window: Window,
    readonly stretch: Stretch,
  ) {}

  /** By field; of a field, what it leads to now comes first, then what lasts. */
  of(node: number): Link[] {
    let links = this.known.get(node);
    if (!links) {
      links = [];
      for (let field = this.window.firstField(node); field < this.window.endField(node); field++) {
        for (const link of linksOfField(this.window, field, this.stretch)) links.push(link);
      }
      if (this.window.isSection(node)) links = links.filter((link) => this.isHeap(link.target));
      this.known.set(node, links);
    }
    return links;
  }

  private isHeap(node: number): boolean {
    return node >= 0 && this.window.nodes.kind(node) === "heap";
  }

  /** Those that lead to nodes of the window that live within the stretch. */
  within(node: number): Link[] {
    const { first, last } = this.stretch;
    const isThere = (row: number) => row >= 0 && this.window.livesWithin(row, first, last);
    return this.of(node).filter((link) => isThere(link.target));
  }

  targets(node: number): number[] {
    return this.within(node).map((link) => link.target);
  }
}

function linksOfField(window: Window, field: number, { first, last, at }: Stretch): Link[] {
  const { versions } = window;
  const found = new Map<number, Link>();
  const [begin, end] = window.versionsWithin(field, first, last);
  const length = Math.max(1, last - first + 1);
  for (let version = begin; version < end; version++) {
    if (!POINTER_STATES.has(versions.state(version))) continue;
    const target = window.row(versions.target[version] as number);
    const from = Math.max(first, versions.from[version] as number);
    const next = version + 1 < end ? (versions.from[version + 1] as number) : last + 1;
    const link = found.get(target) ?? { field, target, share: 0, now: false };
    link.share += (next - from) / length;
    link.now ||= from <= at && at < next;
    found.set(target, link);
  }
  return [...found.values()].sort((a, b) => Number(b.now) - Number(a.now) || b.share - a.share);
}
