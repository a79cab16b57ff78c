// The stacked chart of the timeline, drawn by uPlot.
import uPlot from "uplot";
import type { Bands } from "./bands";

export function makeChart(
  bands: Bands,
  shown: [number, number],
  width: number,
  height: number,
): uPlot {
  const stacked = stack(bands);
  const colours = bands.series.map((_, index) => colour(`--series-${index % 6}`));
  const options: uPlot.Options = {
    width,
    height,
    padding: [4, 0, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => shown },
      y: { range: (_, __, most) => [0, most || 1] },
    },
    axes: [
      {
        stroke: colour("--dim"),
        grid: { show: false },
        ticks: { stroke: colour("--line"), size: 4 },
        size: 22,
        gap: 2,
        font: "11px system-ui, sans-serif",
        values: (_, ticks) => ticks.map((tick) => tick.toLocaleString("en")),
      },
      { show: false },
    ],
    series: [
      {},
      ...bands.series.map((_, index) => ({
        stroke: colours[index] as string,
        fill: colours[index] as string,
        width: 0,
        points: { show: false },
        paths: uPlot.paths.stepped?.({ align: -1 }) as uPlot.Series.PathBuilder,
      })),
    ],
  };
  return new uPlot(options, [bands.times as unknown as number[], ...stacked]);
}

/** Each series on top of those after it: drawn first to last, every one shows its own part. */
function stack({ series, times }: Bands): number[][] {
  const stacked: number[][] = [];
  let above = new Array<number>(times.length).fill(0);
  for (const { values } of [...series].reverse()) {
    above = above.map((sum, index) => sum + (values[index] as number));
    stacked.unshift(above);
  }
  return stacked;
}

/** A colour of the style sheet as the theme in force has it, for canvases. */
export function colour(variable: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
