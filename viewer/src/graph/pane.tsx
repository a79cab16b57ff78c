// The graph pane: the scene, moved and scaled by d3-zoom, and what can be done with a click.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomBehavior } from "d3-zoom";
import { useEffect, useRef } from "preact/hooks";
import type { Controller } from "../app/controller";
import { Scene } from "./scene";
import { Legend } from "./legend";

const MARGIN = 24;
const LEAST_SCALE = 0.6; // smaller text cannot be read

export function GraphPane({ controller }: { controller: Controller }) {
  const svgRef = useRef<SVGSVGElement>(null);
  const { store } = controller;
  const isEmpty = store.use((state) => state.picture?.boxes.length === 0);
  const busy = store.use((state) => state.busy);
  // A moment that the picture cannot show, or not yet: it is not to be taken for the moment's.
  const isOld = store.use(({ busy, picture, t }) => busy !== null || !picture?.window.covers(t));
  useEffect(() => (svgRef.current ? mount(svgRef.current, controller) : undefined), []);
  return (
    <section class={isOld ? "graph old" : "graph"} aria-label="Graph" aria-busy={busy !== null}>
      <svg ref={svgRef} id="graph" role="application" aria-label="Memory graph" tabIndex={0}>
        <g class="camera" />
      </svg>
      {isEmpty && <p class="empty">No node of this scope lived in this stretch of time.</p>}
      {busy && (
        <p class="busy" role="status">
          {busy}…
        </p>
      )}
      <Legend />
    </section>
  );
}

/** Draws by hand: hundreds of elements change with a step, and none of them needs a component. */
function mount(element: SVGSVGElement, controller: Controller): () => void {
  const { store, story } = controller;
  const camera = element.querySelector(".camera") as SVGGElement;
  const zooming = zoom<SVGSVGElement, unknown>()
    .scaleExtent([0.05, 4])
    .on("zoom", (event) => camera.setAttribute("transform", event.transform.toString()));
  select(element).call(zooming).on("dblclick.zoom", null);
  let scene: Scene | null = null;
  let seen = store.state;
  let frame = 0;
  const render = () => {
    frame = 0;
    const { state } = store;
    if (state.picture && state.picture !== scene?.picture) {
      scene = new Scene(state.picture, story.head);
      camera.replaceChildren(scene.element);
      scene.show(state.t, state.against);
      fit(element, zooming, scene);
      performance.mark("picture");
    }
    scene?.show(state.t, state.against);
    scene?.select(state.node, state.offset);
    if (state.node !== seen.node && scene) intoView(element, zooming, scene, state.node);
    seen = state;
    element.dataset["shown"] = String(state.t);
  };
  const schedule = () => {
    frame ||= requestAnimationFrame(render);
  };
  const fitAgain = () => scene && fit(element, zooming, scene);
  element.addEventListener("click", (event) => click(event, controller));
  element.addEventListener("fit", fitAgain);
  const unsubscribe = store.subscribe(schedule);
  schedule();
  return () => {
    unsubscribe();
    cancelAnimationFrame(frame);
  };
}

function click(event: MouseEvent, controller: Controller): void {
  const target = event.target as Element;
  const fold = target.closest<SVGElement>("[data-fold]");
  if (fold) return void controller.open(Number(fold.dataset["fold"]));
  const box = target.closest<SVGElement>("[data-node]");
  if (!box) return controller.select(null);
  const offset = target.closest<SVGElement>("[data-offset]")?.dataset["offset"];
  controller.select(Number(box.dataset["node"]), offset === undefined ? null : Number(offset));
}

type Zooming = ZoomBehavior<SVGSVGElement, unknown>;

/** What is there at the moment shown, or where something may be at another. */
function fit(element: SVGSVGElement, zooming: Zooming, scene: Scene): void {
  const room = element.getBoundingClientRect();
  const seen = scene.extent();
  if (!seen || !room.width) return;
  const scale = Math.min(
    1.15,
    (room.width - 2 * MARGIN) / seen.width,
    (room.height - 2 * MARGIN) / seen.height,
  );
  const readable = Math.max(scale, LEAST_SCALE);
  const x = Math.max(MARGIN, (room.width - seen.width * readable) / 2) - seen.x * readable;
  // Too high to be seen at once: where it begins.
  const isHigh = seen.height * readable > room.height;
  const middle = isHigh ? seen.start : seen.y + seen.height / 2;
  const y = room.height / 2 - middle * readable;
  select(element).call(zooming.transform, zoomIdentity.translate(x, y).scale(readable));
}

/** Moves the camera only if the node is out of sight. */
function intoView(
  element: SVGSVGElement,
  zooming: Zooming,
  scene: Scene,
  node: number | null,
): void {
  const box = node === null ? null : scene.element.querySelector(`[data-node="${node}"]`);
  if (!box) return;
  const [room, at] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
  const isSeen =
    at.left >= room.left &&
    at.right <= room.right &&
    at.top >= room.top &&
    at.bottom <= room.bottom;
  if (isSeen || at.width === 0) return;
  const { layout } = scene.picture;
  const corner = layout.boxes.get(`n${scene.picture.window.row(node as number)}`);
  if (corner) select(element).call(zooming.translateTo, corner.x + 60, corner.y + 40);
}
