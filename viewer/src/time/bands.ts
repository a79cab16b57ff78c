// Stretches of time with what happened in them, as series that a chart can stack.
import type { Columns } from "../model/columns";
import type { Sites } from "../model/sites";
import type { Chart } from "../app/store";

const MOST_SERIES = 6;

export interface Series {
  name: string;
  values: Float64Array;
}
export interface Bands {
  /** Where each bucket ends. */
  times: Float64Array;
  series: Series[];
  unit: "bytes" | "nodes" | "changes";
}

/** The series of a chart; the largest within the time shown have names. */
export function bandsOf(
  columns: Columns,
  chart: Chart,
  sites: Sites,
  shown: [number, number],
): Bands {
  const times = Float64Array.from(columns.table("buckets").numbers("to"));
  switch (chart) {
    case "types":
      return {
        times,
        unit: "bytes",
        series: grouped(columns, shown, "by_type", "live_bytes", times, typeName(columns)),
      };
    case "sites":
      return {
        times,
        unit: "bytes",
        series: grouped(
          columns,
          shown,
          "by_site",
          "live_bytes",
          times,
          siteName(columns, "by_site", sites),
        ),
      };
    case "statements":
      return {
        times,
        unit: "changes",
        series: grouped(
          columns,
          shown,
          "by_statement",
          "changes",
          times,
          siteName(columns, "by_statement", sites),
        ),
      };
    case "births": {
      const buckets = columns.table("buckets");
      const series = (name: string) => ({ name, values: Float64Array.from(buckets.numbers(name)) });
      return { times, unit: "nodes", series: [series("births"), series("deaths")] };
    }
  }
}

function typeName(columns: Columns): (row: number) => string {
  const texts = columns.table("by_type").texts("type");
  return (row) => texts(row)?.replace(/^(struct|class|union) /, "") ?? "unknown type";
}

function siteName(columns: Columns, table: string, sites: Sites): (row: number) => string {
  const ids = columns.table(table).numbers("site");
  return (row) => sites.get(ids[row] as number)?.text ?? "elsewhere";
}

/** One series for each of the largest names, one for all others. */
function grouped(
  columns: Columns,
  shown: [number, number],
  name: string,
  column: string,
  times: Float64Array,
  nameOf: (row: number) => string,
): Series[] {
  const table = columns.table(name);
  const [bucket, amount, other] = [
    table.numbers("bucket"),
    table.numbers(column),
    table.numbers("other"),
  ];
  const series = new Map<string, Float64Array>();
  for (let row = 0; row < table.rows; row++) {
    const key = other[row] ? "others" : nameOf(row);
    let values = series.get(key);
    if (!values) series.set(key, (values = new Float64Array(times.length)));
    const at = bucket[row] as number;
    values[at] = (values[at] as number) + (amount[row] as number);
  }
  return largest(
    [...series].map(([key, values]) => ({ name: key, values })),
    times,
    shown,
  );
}

function largest(series: Series[], times: Float64Array, [first, last]: [number, number]): Series[] {
  const isShown = (index: number) =>
    (times[index] as number) >= first && (times[index - 1] ?? 0) <= last;
  const peak = ({ name, values }: Series) =>
    name === "others"
      ? -1
      : values.reduce((most, value, index) => (isShown(index) ? Math.max(most, value) : most), 0);
  const sorted = series.map((each) => ({ ...each, peak: peak(each) }));
  sorted.sort((a, b) => b.peak - a.peak);
  if (sorted.length <= MOST_SERIES) return sorted;
  const rest = new Float64Array(times.length);
  for (const { values } of sorted.slice(MOST_SERIES - 1)) {
    values.forEach((value, index) => (rest[index] = (rest[index] as number) + value));
  }
  return [...sorted.slice(0, MOST_SERIES - 1), { name: "others", values: rest }];
}

/** Changes of each thread per bucket, and the ends of the buckets. */
export function threadLanes(
  columns: Columns,
  threads: number[],
): { times: Float64Array; lanes: Map<number, Float64Array> } {
  const times = Float64Array.from(columns.table("buckets").numbers("to"));
  const lanes = new Map(threads.map((thread) => [thread, new Float64Array(times.length)]));
  const table = columns.table("by_thread");
  const [bucket, thread, changes] = [
    table.numbers("bucket"),
    table.numbers("thread"),
    table.numbers("changes"),
  ];
  for (let row = 0; row < table.rows; row++) {
    const lane = lanes.get(thread[row] as number);
    const at = bucket[row] as number;
    if (lane) lane[at] = (lane[at] as number) + (changes[row] as number);
  }
  return { times, lanes };
}
