// The moment, the node and where the picture begins, in the address of the page.
import { beginWork } from "../model/work";
import type { Scope } from "../scope/starts";
import type { Controller } from "./controller";
import type { State } from "./store";

/** Nodes that are drawn unless the address says otherwise (`most`). */
export const BUDGET = 120;

type Addressed = Pick<State, "t" | "node" | "offset" | "against" | "scope" | "budget">;

export function toHash({ t, node, offset, against, scope, budget }: Addressed): string {
  const words = new URLSearchParams({ t: String(t) });
  if (node !== null) words.set("n", String(node));
  if (node !== null && offset !== null) words.set("o", String(offset));
  if (against !== null) words.set("vs", String(against));
  if (scope.kind === "type") words.set("type", scope.type);
  if (scope.kind === "site") words.set("site", String(scope.site));
  if (scope.kind === "node") words.set("from", String(scope.node));
  if (budget !== BUDGET) words.set("most", String(budget));
  return `#${words}`;
}

export function fromHash(hash: string): Partial<Addressed> {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string) => {
    const text = words.get(name);
    return text !== null && /^\d+$/.test(text) ? Number(text) : null;
  };
  const found: Partial<Addressed> = {
    node: number("n"),
    offset: number("o"),
    against: number("vs"),
  };
  const t = number("t");
  if (t !== null) found.t = t;
  const scope = scopeOf(words.get("type"), number("site"), number("from"));
  if (scope) found.scope = scope;
  const most = number("most");
  if (most !== null) found.budget = most;
  return found;
}

function scopeOf(type: string | null, site: number | null, node: number | null): Scope | null {
  if (type !== null) return { kind: "type", type };
  if (site !== null) return { kind: "site", site };
  return node === null ? null : { kind: "node", node };
}

/** Writes the address as the state changes, and follows it when a person changes it. */
export function follow(controller: Controller): void {
  const { store } = controller;
  let isWaiting = false;
  let written = location.hash;
  const write = () => {
    const hash = toHash(store.state);
    // An address that a person has just given is followed first.
    if (hash === written || location.hash !== written) return;
    written = hash;
    history.replaceState(null, "", hash);
  };
  store.subscribe(() => {
    if (isWaiting) return;
    isWaiting = true;
    const end = beginWork();
    // Browsers refuse to be told on every step of a drag.
    setTimeout(() => {
      isWaiting = false;
      write();
      end();
    }, 120);
  });
  window.addEventListener("hashchange", () => {
    if (location.hash === written) return;
    written = location.hash;
    const { t, node, offset, against, scope } = fromHash(location.hash);
    store.set({ against: against ?? null });
    if (typeof node === "number") controller.select(node, offset ?? null);
    if (t !== undefined) controller.time.goTo(t);
    void go(controller, scope, node ?? null, offset ?? null);
  });
}

/** One after the other: which node is missing depends on where the picture begins. */
async function go(
  controller: Controller,
  scope: Scope | undefined,
  node: number | null,
  offset: number | null,
): Promise<void> {
  if (scope) await controller.begin(scope);
  if (node !== null) await controller.reveal(node, offset);
}
