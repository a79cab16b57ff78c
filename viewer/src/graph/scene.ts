// The picture as SVG elements: built once for a layout, then moved through time.
import type { Head } from "../model/head";
import { lastAtMost } from "../model/search";
import { foldKey, HEADER, nodeKey, type Picture } from "../scope/picture";
import { NOBODY, type Fold } from "../scope/visible";
import { ArrowView, way } from "./arrows";
import { BoxView, moreText, type Moment } from "./boxes";
import { MergeView, mergeViews } from "./merges";
import { svg, text } from "./svg";

const HEADS = ["live", "dangling", "aliased", "stale", "was"];

export class Scene {
  readonly element: SVGGElement;
  private readonly boxes: BoxView[];
  private readonly arrows: ArrowView[] = [];
  private readonly folds: FoldView[] = [];
  private readonly merges: MergeView[];
  private selected: Element[] = [];

  constructor(
    readonly picture: Picture,
    private readonly head: Head,
  ) {
    const { window, layout } = picture;
    const known = new Map(picture.boxes.map((box) => [box.node, box]));
    this.boxes = picture.boxes.map((box) => {
      const at = layout.boxes.get(nodeKey(box.node)) ?? { x: 0, y: 0 };
      return new BoxView(window, box, at.x, at.y);
    });
    for (const arrow of picture.arrows) {
      const d = way(arrow, layout, known);
      if (d) this.arrows.push(new ArrowView(window, arrow, d));
    }
    for (const fold of picture.folds) {
      const at = layout.boxes.get(foldKey(fold.behind));
      if (at)
        this.folds.push(new FoldView(fold, window.nodes.id[fold.behind] ?? NOBODY, at.x, at.y));
    }
    this.merges = mergeViews(picture);
    this.element = svg(
      "g",
      { class: "scene" },
      svg("defs", {}, ...HEADS.map(arrowHead)),
      svg("g", { class: "arrows" }, ...this.arrows.map((arrow) => arrow.element)),
      svg("g", { class: "merges" }, ...this.merges.map((merge) => merge.element)),
      svg("g", { class: "folds" }, ...this.folds.map((fold) => fold.element)),
      svg("g", { class: "boxes" }, ...this.boxes.map((box) => box.element)),
    );
  }

  show(t: number, against: number | null): void {
    for (const arrow of this.arrows) arrow.update(t, against);
    const moment: Moment = { t, against, held: this.held(), lost: this.lost(t) };
    for (const box of this.boxes) box.update(moment);
    for (const fold of this.folds) fold.update(t);
    for (const merge of this.merges) merge.update(t);
  }

  /** Where the boxes are that are shown, and how high the leftmost; without any, where all may be. */
  extent(): { x: number; y: number; width: number; height: number; start: number } | null {
    const { boxes, layout } = this.picture;
    const isShown = (index: number) => this.boxes[index]?.isShown ?? false;
    const some = boxes.some((_, index) => isShown(index));
    const corners = boxes.flatMap((box, index) => {
      const at = layout.boxes.get(nodeKey(box.node));
      return at && (isShown(index) || !some) ? [{ ...at, box }] : [];
    });
    if (corners.length === 0) return null;
    const x = Math.min(...corners.map((corner) => corner.x));
    const y = Math.min(...corners.map((corner) => corner.y));
    const right = Math.max(...corners.map((corner) => corner.x + corner.box.width));
    const bottom = Math.max(...corners.map((corner) => corner.y + corner.box.height));
    const leftmost = corners.reduce((a, b) => (b.x < a.x ? b : a));
    const start = leftmost.y + leftmost.box.height / 2;
    return { x, y, width: right - x, height: bottom - y, start };
  }

  select(node: number | null, offset: number | null): void {
    for (const element of this.selected) element.removeAttribute("data-selected");
    const box = node === null ? null : this.element.querySelector(`[data-node="${node}"]`);
    const row = offset === null ? null : box?.querySelector(`[data-offset="${offset}"]`);
    this.selected = [box, row].filter((element) => element instanceof Element);
    for (const element of this.selected) element.setAttribute("data-selected", "");
  }

  /** Nodes that a pointer leads to: those that were freed are shown all the same. */
  private held(): Set<number> {
    const { target } = this.picture.window.versions;
    const held = new Set<number>();
    for (const { version } of this.arrows) if (version >= 0) held.add(target[version] as number);
    return held;
  }

  private lost(t: number): Set<number> {
    return new Set(this.head.lost[String(t)] ?? []);
  }
}

class FoldView {
  readonly element: SVGGElement;
  private readonly label: SVGTextElement;

  constructor(
    private readonly fold: Fold,
    id: number,
    x: number,
    y: number,
  ) {
    this.label = text({ x: 46, y: 14, class: "title" }, "");
    this.element = svg(
      "g",
      { class: "fold", transform: `translate(${x},${y})`, "data-fold": id },
      svg("rect", { class: "back", width: 92, height: HEADER, rx: 10 }),
      this.label,
    );
  }

  update(t: number): void {
    const { born, freed, beyond } = this.fold;
    const inWindow = lastAtMost(born, t, 0, born.length) - lastAtMost(freed, t, 0, freed.length);
    const count = inWindow + beyond;
    this.label.textContent = moreText(count, beyond > 0);
    this.element.classList.toggle("hidden", count === 0);
  }
}

function arrowHead(state: string): SVGMarkerElement {
  return svg(
    "marker",
    {
      id: `head-${state}`,
      viewBox: "0 0 8 8",
      refX: 7,
      refY: 4,
      markerWidth: 7,
      markerHeight: 7,
      orient: "auto",
    },
    svg("path", { class: `head-${state}`, d: "M0 0.8L7.5 4L0 7.2Z" }),
  );
}
