// Which nodes are drawn. Long lists and wide fans are folded here, before anything is laid out.
import type { Window } from "../model/window";
import type { Links } from "./links";

export const CHAIN = 8;
export const FAN = 10;
/** Nodes that a field led to at other moments: so many of each field are drawn as well. */
const PAST = 2;
export const MORE = 20;

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
}

export interface Visible {
  /** Rows, nearest to the start first. */
  nodes: ReadonlySet<number>;
  folds: Map<number, Fold>;
  /** Row of a folded node to the row it is folded behind. */
  foldOf: Map<number, number>;
}

export function visible(links: Links, choice: Choice): Visible {
  const chains = new Map<number, number>();
  const order: number[] = [];
  const hidden: [number, number][] = [];
  const show = (node: number, chain: number): boolean => {
    if (chains.has(node)) return true;
    if (order.length >= choice.budget) return false;
    chains.set(node, chain);
    order.push(node);
    return true;
  };
  for (const start of choice.starts) show(start, 0);
  for (let next = 0; next < order.length; next++) {
    const node = order[next] as number;
    for (const [target, chain] of followed(links, choice, node, chains)) {
      if (chain === null || !show(target, chain)) hidden.push([target, node]);
    }
  }
  const isShown = (node: number) => chains.has(node);
  return { nodes: new Set(order), ...fold(links, hidden, isShown) };
}

/** The nodes that one leads to, each with its place in a chain of its type, or null: folded. */
function followed(
  links: Links,
  choice: Choice,
  node: number,
  chains: ReadonlyMap<number, number>,
): [number, number | null][] {
  const { nodes } = links.window;
  const opened = choice.opened.get(nodes.id[node] as number) ?? 0;
  const depth = (chains.get(node) ?? 0) - opened;
  const found = new Map<number, number | null>();
  const past = new Map<number, number>();
  for (const { field, target, now } of links.within(node)) {
    if (found.has(target)) continue;
    const chain = nodes.shape[target] === nodes.shape[node] ? depth + 1 : 0;
    const before = past.get(field) ?? 0;
    if (!now) past.set(field, before + 1);
    const isWanted = chain <= CHAIN && found.size < FAN + opened && (now || before < PAST + opened);
    found.set(target, isWanted || chains.has(target) ? chain : null);
  }
  return [...found];
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
      front.push(...links.targets(node));
    }
  }
  for (const { born, freed } of folds.values()) {
    born.sort((a, b) => a - b);
    freed.sort((a, b) => a - b);
  }
  return { folds, foldOf };
}

function count(window: Window, folds: Map<number, Fold>, node: number, behind: number): void {
  const counted = folds.get(behind) ?? { behind, born: [], freed: [] };
  folds.set(behind, counted);
  counted.born.push(window.nodes.born[node] as number);
  const freed = window.nodes.freed[node] as number;
  if (freed >= 0) counted.freed.push(freed);
}
