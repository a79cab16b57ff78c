// Which nodes are drawn. Long lists and wide fans are folded here, before anything is laid out.
import type { Window } from "../model/window";
import type { Link, Links } from "./links";

/** Who asks for more nodes gets longer lists and wider fans. */
const CHAINS = 15; // of the length of all nodes
const FANS = 12;
/** Nodes of other moments: a third of those of this one, and at least so many. */
const PAST_NODES = 24;
export const MORE = 20;
/** In place of a node: starts that were too many. */
export const NOBODY = -1;

export interface Choice {
  /** Rows of the nodes to begin with, the most wanted first. */
  starts: number[];
  budget: number;
  /** How many more nodes behind a node were asked for, by its id. */
  opened: ReadonlyMap<number, number>;
}

/** Nodes that are not drawn, behind the node that leads to them. */
export interface Fold {
  behind: number;
  /** Sorted timestamps of births and deaths: how many are there at T is two binary searches. */
  born: number[];
  freed: number[];
  /** Further ones that are not in the window: the server has them. */
  beyond: number;
}

export interface Visible {
  /** Rows, nearest to the start first. */
  nodes: ReadonlySet<number>;
  folds: Map<number, Fold>;
  /** Row of a folded node to the row it is folded behind. */
  foldOf: Map<number, number>;
}

export function visible(links: Links, choice: Choice): Visible {
  const { window, stretch } = links;
  const walk = new Walk(links, choice);
  const { starts, budget } = choice;
  const isNow = (link: Link) => link.now;
  const there = starts.filter((start) => window.isThere(start, stretch.at));
  // What the first starts lead to comes before the last of many starts, and both before the past.
  walk.begin(there, budget / 2);
  walk.follow(isNow, budget);
  walk.begin(there, budget);
  walk.follow(isNow, budget);
  const now = walk.order.length;
  const past = Math.min(budget, now + Math.max(PAST_NODES, now / 3));
  walk.begin(starts, past);
  walk.follow(() => true, past);
  walk.hidden.sort((a, b) => Number(a[1] === NOBODY) - Number(b[1] === NOBODY));
  const isShown = (node: number) => walk.chains.has(node);
  const folded = fold(links, walk.hidden, isShown);
  for (const each of folded.folds.values()) each.beyond = beyond(window, each.behind);
  return { nodes: new Set(walk.order), ...folded };
}

/** How many nodes one leads to that are not in the window. */
export function beyond(window: Window, node: number): number {
  return node === NOBODY || window.isSection(node) ? 0 : (window.nodes.more[node] as number);
}

/** Goes from node to node, nearest first: along what stands now, then along what stood before. */
class Walk {
  readonly order: number[] = [];
  /** How far into a chain of its own type each node is. */
  readonly chains = new Map<number, number>();
  /** Nodes that were not gone to, with where they were seen from. */
  hidden: [number, number][] = [];

  constructor(
    private readonly links: Links,
    private readonly choice: Choice,
  ) {}

  begin(starts: number[], budget: number): void {
    this.hidden = this.hidden.filter(([, behind]) => behind !== NOBODY);
    for (const start of starts) {
      if (!this.show(start, 0, budget)) this.hidden.push([start, NOBODY]);
    }
  }

  follow(isWanted: (link: Link) => boolean, budget: number): void {
    this.hidden = this.hidden.filter(([, behind]) => behind === NOBODY);
    for (let next = 0; next < this.order.length; next++) {
      const node = this.order[next] as number;
      for (const [target, chain] of this.targets(node, isWanted)) {
        if (chain === null || !this.show(target, chain, budget)) this.hidden.push([target, node]);
      }
    }
  }

  private show(node: number, chain: number, budget: number): boolean {
    if (this.chains.has(node)) return true;
    if (this.order.length >= budget) return false;
    this.chains.set(node, chain);
    this.order.push(node);
    return true;
  }

  /** The nodes that one leads to, each with its place in a chain, or null: folded. */
  private targets(node: number, isWanted: (link: Link) => boolean): [number, number | null][] {
    const { budget, opened } = this.choice;
    const { nodes } = this.links.window;
    const more = opened.get(nodes.id[node] as number) ?? 0;
    const depth = (this.chains.get(node) ?? 0) - more;
    const [longest, widest] = [budget / CHAINS, budget / FANS + more];
    const found = new Map<number, number | null>();
    let wide = 0;
    for (const link of this.links.within(node).filter(isWanted)) {
      if (found.has(link.target)) continue;
      const chain = nodes.shape[link.target] === nodes.shape[node] ? depth + 1 : 0;
      const isShown = chain <= longest && wide < widest;
      if (isShown) wide++;
      found.set(link.target, isShown || this.chains.has(link.target) ? chain : null);
    }
    return [...found];
  }
}

/** Everything that can only be reached through what is hidden counts to the first fold before it. */
function fold(
  links: Links,
  hidden: [number, number][],
  isShown: (node: number) => boolean,
): { folds: Map<number, Fold>; foldOf: Map<number, number> } {
  const folds = new Map<number, Fold>();
  const foldOf = new Map<number, number>();
  for (const [first, behind] of hidden) {
    const front = [first];
    for (let node = front.pop(); node !== undefined; node = front.pop()) {
      if (isShown(node) || foldOf.has(node)) continue;
      foldOf.set(node, behind);
      count(links.window, folds, node, behind);
      // One by one: a field that pointed to many nodes has more of them than a call has arguments.
      for (const target of links.targets(node)) front.push(target);
    }
  }
  for (const { born, freed } of folds.values()) {
    born.sort((a, b) => a - b);
    freed.sort((a, b) => a - b);
  }
  return { folds, foldOf };
}

function count(window: Window, folds: Map<number, Fold>, node: number, behind: number): void {
  const counted = folds.get(behind) ?? { behind, born: [], freed: [], beyond: 0 };
  folds.set(behind, counted);
  counted.born.push(window.nodes.born[node] as number);
  const freed = window.nodes.freed[node] as number;
  if (freed >= 0) counted.freed.push(freed);
}
