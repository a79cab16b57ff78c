// Fields by the nodes they ever led to.
import { POINTER_STATES, type Window } from "./window";

export class Incoming {
  private readonly fields = new Map<number, Set<number>>();

  constructor(private readonly window: Window) {
    const { fields, versions } = window;
    for (let field = 0; field < fields.count; field++) {
      const end = window.endVersion(field);
      for (let version = window.firstVersion(field); version < end; version++) {
        const target = versions.target[version] as number;
        if (target < 0) continue;
        const known = this.fields.get(target);
        if (known) known.add(field);
        else this.fields.set(target, new Set([field]));
      }
    }
  }

  /** The fields that lead to a node as of T. */
  at(node: number, t: number): number[] {
    const { window } = this;
    return [...(this.fields.get(node) ?? [])].filter((field) => {
      const version = window.version(field, t);
      return (
        version >= 0 &&
        window.versions.target[version] === node &&
        POINTER_STATES.has(window.versions.state(version)) &&
        window.isThere(window.fields.node[field] as number, t)
      );
    });
  }
}
