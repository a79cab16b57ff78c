// Merge edges of mode internals, between boxes that are drawn.
import type { Merge } from "../model/clusters";
import { HEADER, nodeKey, type Picture } from "../scope/picture";
import { svg } from "./svg";

export class MergeView {
  readonly element: SVGPathElement;

  constructor(
    private readonly merge: Merge,
    d: string,
  ) {
    this.element = svg("path", {
      class: "arrow merge hidden",
      d,
      "data-merged": merge.source,
      "data-into": merge.target,
    });
  }

  update(t: number): void {
    const { from, until } = this.merge;
    this.element.classList.toggle("hidden", t < from || (until >= 0 && t >= until));
  }
}

export function mergeViews({ window, boxes, layout }: Picture): MergeView[] {
  const widths = new Map(boxes.map((box) => [box.node, box.width]));
  const corner = (id: number) => layout.boxes.get(nodeKey(window.row(id)));
  return window.clusters.merges.flatMap((merge) => {
    const [from, to] = [corner(merge.source), corner(merge.target)];
    const width = widths.get(window.row(merge.source));
    if (!from || !to || width === undefined) return [];
    const [x, y] = [from.x + width / 2, from.y];
    const [endX, endY] = [
      to.x + (widths.get(window.row(merge.target)) ?? 0) / 2,
      to.y + HEADER / 2,
    ];
    return [
      new MergeView(
        merge,
        `M${x},${y}Q${(x + endX) / 2},${Math.min(y, endY) - 30} ${endX},${endY}`,
      ),
    ];
  });
}
