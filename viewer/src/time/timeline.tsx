// The timeline: chart, strips and the moment, one axis; drag to scrub, wheel to zoom.
import type uPlot from "uplot";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Controller } from "../app/controller";
import type { Chart } from "../app/store";
import type { Columns } from "../model/columns";
import { bandsOf, threadLanes, type Bands } from "./bands";
import { makeChart } from "./chart";
import { drawStrips, STRIP, stripsHeight, type Strips } from "./strips";
import { Transport } from "./transport";

const CHART = 76;
const CHARTS: [Chart, string][] = [
  ["types", "live bytes by type"],
  ["sites", "live bytes by site"],
  ["births", "births and deaths"],
  ["statements", "changes by statement"],
];

export function TimePane({ controller }: { controller: Controller }) {
  const columns = controller.store.use((state) => state.bands);
  const chart = controller.store.use((state) => state.chart);
  const shown = controller.store.use((state) => state.shown);
  const bands = columns && bandsOf(columns, chart, controller.story.sites, shown);
  return (
    <section class="time" aria-label="Timeline">
      <Transport controller={controller}>
        <label class="chart-choice">
          <span class="for-readers">What the chart shows</span>
          <select
            id="chart"
            value={chart}
            onChange={(event) =>
              controller.store.set({ chart: event.currentTarget.value as Chart })
            }
          >
            {CHARTS.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <ul class="series" aria-label="Series">
          {bands?.series.map(({ name }, index) => (
            <li key={name}>
              <i class={`swatch series-${index % 6}`} />
              {name}
            </li>
          ))}
        </ul>
      </Transport>
      <Axis controller={controller} columns={columns} bands={bands} />
    </section>
  );
}

interface AxisProps {
  controller: Controller;
  columns: Columns | null;
  bands: Bands | null;
}

function Axis({ controller, columns, bands }: AxisProps) {
  const { store, story } = controller;
  const { head } = story;
  const track = useRef<HTMLDivElement>(null);
  const chart = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const shown = store.use((state) => state.shown);
  const t = store.use((state) => state.t);
  const against = store.use((state) => state.against);
  const [width, setWidth] = useState(0);
  const strips: Strips = useMemo(
    () => ({ head, lanes: columns && threadLanes(columns, head.threads) }),
    [columns],
  );
  useEffect(() => {
    const watch = new ResizeObserver(() => setWidth(track.current?.clientWidth ?? 0));
    if (track.current) watch.observe(track.current);
    const themes = new MutationObserver(() => setWidth((now) => now + 0.001));
    themes.observe(document.documentElement, { attributes: true });
    return () => [watch, themes].forEach((each) => each.disconnect());
  }, []);
  useEffect(() => {
    let plot: uPlot | null = null;
    if (bands && chart.current && width > 0) {
      plot = makeChart(bands, shown, Math.round(width), CHART);
      chart.current.replaceChildren(plot.root);
    }
    if (canvas.current) drawStrips(canvas.current, strips, shown);
    return () => plot?.destroy();
  }, [bands?.unit, bands?.series, shown, width, columns]);
  const left = (moment: number) =>
    `${((moment - shown[0]) / Math.max(shown[1] - shown[0], 1e-9)) * 100}%`;
  const scrub = (event: PointerEvent) => {
    const room = (event.currentTarget as Element).getBoundingClientRect();
    const part = (event.clientX - room.left) / room.width;
    controller.time.goTo(shown[0] + part * (shown[1] - shown[0]));
  };
  const lanes = head.threads.slice(0, 6);
  return (
    <div class="axis">
      <ul class="lane-names" style={{ paddingTop: `${CHART}px` }} aria-hidden="true">
        <li>marks</li>
        <li>findings</li>
        {lanes.map((thread) => (
          <li key={thread}>thread {thread}</li>
        ))}
      </ul>
      <div
        class="track"
        ref={track}
        role="slider"
        id="track"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={0}
        aria-valuemax={head.last}
        aria-valuenow={t}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          scrub(event);
        }}
        onPointerMove={(event) => event.buttons === 1 && scrub(event)}
        onWheel={(event) => {
          event.preventDefault();
          const room = event.currentTarget.getBoundingClientRect();
          const around =
            shown[0] + ((event.clientX - room.left) / room.width) * (shown[1] - shown[0]);
          if (event.shiftKey)
            controller.time.pan((event.deltaY / room.width) * (shown[1] - shown[0]));
          else controller.time.zoom(event.deltaY > 0 ? 1.25 : 0.8, around);
        }}
        onDblClick={() => store.set({ shown: [0, Math.max(head.last, 1)] })}
      >
        <div ref={chart} style={{ height: `${CHART}px` }} />
        <canvas ref={canvas} style={{ height: `${stripsHeight(strips)}px` }} />
        {head.findings.map(
          (finding, index) =>
            finding.ts !== null && (
              <button
                key={index}
                class="finding-mark"
                style={{ left: left(finding.ts), top: `${CHART + STRIP}px` }}
                title={finding.title}
                aria-label={`Finding at ${finding.ts}: ${finding.title}`}
                tabIndex={-1}
                onPointerDown={(event) => event.stopPropagation()}
                onClick={() => void controller.followFinding(index)}
              />
            ),
        )}
        {against !== null && <i class="against" style={{ left: left(against) }} />}
        <i class="playhead" style={{ left: left(t) }} />
      </div>
    </div>
  );
}
