// An arrow of the picture: there while its field leads to its target.
import type { Layout, Point } from "../layout/layout";
import { POINTER_STATES, type Window } from "../model/window";
import { HEADER, nodeKey, ROW, type Arrow, type NodeBox } from "../scope/picture";
import { svg } from "./svg";

export class ArrowView {
  readonly element: SVGPathElement;
  /** What its field holds at the moment shown, or -1. */
  version = -1;
  private shown = "";

  constructor(
    private readonly window: Window,
    readonly arrow: Arrow,
    d: string,
  ) {
    this.element = svg("path", {
      class: "arrow hidden",
      d,
      "data-from": window.nodes.id[arrow.from] as number,
      "data-to": window.nodes.id[arrow.target] as number,
    });
  }

  update(t: number, against: number | null): void {
    this.version = this.versionAt(t);
    if (this.arrow.targets.size > 1) this.nameTarget(against);
    const classes = this.classes(t, against);
    if (classes === this.shown) return;
    this.shown = classes;
    this.element.setAttribute("class", `arrow ${classes}`);
    const head = classes.split(" ")[0] as string;
    if (head === "hidden") this.element.removeAttribute("marker-end");
    else this.element.setAttribute("marker-end", `url(#head-${head})`);
  }

  /** Which of several nodes it leads to. */
  private nameTarget(against: number | null): void {
    const then = against === null ? -1 : this.versionAt(against);
    const version = [this.version, then].find((each) => this.isHere(each));
    if (version === undefined) return;
    this.element.setAttribute("data-to", String(this.window.versions.target[version]));
  }

  /** The state of the pointer now; "was" if it stood only at the moment compared with. */
  private classes(t: number, against: number | null): string {
    const { versions } = this.window;
    if (this.isHere(this.version)) {
      const state = versions.state(this.version);
      return versions.from[this.version] === t && t > 0 ? `${state} now` : state;
    }
    return against !== null && this.isHere(this.versionAt(against)) ? "was" : "hidden";
  }

  private versionAt(t: number): number {
    const { window, arrow } = this;
    return window.isThere(arrow.from, t) ? window.version(arrow.field, t) : -1;
  }

  /** Whether a version of its field leads to its target. */
  private isHere(version: number): boolean {
    const { versions } = this.window;
    return (
      version >= 0 &&
      this.arrow.targets.has(versions.target[version] as number) &&
      POINTER_STATES.has(versions.state(version))
    );
  }
}

/** The way of an arrow: Graphviz', or a plain curve where it was not asked for one. */
export function way(
  arrow: Arrow,
  layout: Layout,
  boxes: ReadonlyMap<number, NodeBox>,
): string | null {
  const laid = layout.paths.get(arrow.key);
  if (laid) return laid;
  const from = layout.boxes.get(nodeKey(arrow.from));
  const to = layout.boxes.get(arrow.to);
  const box = boxes.get(arrow.from);
  if (!from || !to || !box) return null;
  const start: Point = { x: from.x + box.width, y: from.y + HEADER + (arrow.row + 0.5) * ROW };
  const end: Point = { x: to.x, y: to.y + HEADER / 2 };
  const bend = Math.max(40, Math.abs(end.x - start.x) / 2);
  return `M${start.x},${start.y}C${start.x + bend},${start.y} ${end.x - bend},${end.y} ${end.x},${end.y}`;
}
