// Fields by the nodes they ever led to.
import { POINTER_STATES, type Window } from "./window";

export class Incoming {
  /** Fields, by target; those of a node begin at `firsts` of its id. */
  private readonly fields: Uint32Array;
  private readonly firsts: Uint32Array;

  constructor(private readonly window: Window) {
    const { versions } = window;
    let most = 0;
    for (let version = 0; version < versions.count; version++) {
      most = Math.max(most, versions.target[version] as number);
    }
    this.firsts = new Uint32Array(most + 2);
    this.eachPair((target) => {
      this.firsts[target + 1] = (this.firsts[target + 1] as number) + 1;
    });
    for (let target = 1; target < this.firsts.length; target++) {
      this.firsts[target] = (this.firsts[target] as number) + (this.firsts[target - 1] as number);
    }
    const next = this.firsts.slice();
    this.fields = new Uint32Array(this.firsts.at(-1) as number);
    this.eachPair((target, field) => {
      const at = next[target] as number;
      this.fields[at] = field;
      next[target] = at + 1;
    });
  }

  /** The fields that lead to a node as of T. */
  at(node: number, t: number): number[] {
    const { window } = this;
    const ever = this.fields.subarray(this.firsts[node] ?? 0, this.firsts[node + 1] ?? 0);
    return [...new Set(ever)].filter((field) => {
      const version = window.version(field, t);
      return (
        version >= 0 &&
        window.versions.target[version] === node &&
        POINTER_STATES.has(window.versions.state(version)) &&
        window.isThere(window.fields.node[field] as number, t)
      );
    });
  }

  /** Targets with the fields that led to them; a target once where it follows itself. */
  private eachPair(take: (target: number, field: number) => void): void {
    const { fields, versions } = this.window;
    for (let field = 0; field < fields.count; field++) {
      const end = this.window.endVersion(field);
      let before = -1;
      for (let version = this.window.firstVersion(field); version < end; version++) {
        const target = versions.target[version] as number;
        if (target >= 0 && target !== before) take(target, field);
        before = target;
      }
    }
  }
}
