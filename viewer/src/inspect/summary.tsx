// A big heap at a glance: live nodes and bytes by type and by site at the moment, and over time.
import type { Controller } from "../app/controller";
import type { Columns } from "../model/columns";
import { lastAtMost } from "../model/search";
import type { Scope } from "../scope/starts";

interface Group {
  name: string;
  scope: Scope | null;
  nodes: Float64Array;
  bytes: Float64Array;
}

export function SummaryPanel({ controller }: { controller: Controller }) {
  const bands = controller.store.use((state) => state.bands);
  const t = controller.store.use((state) => state.t);
  if (!bands) return <p class="empty">loading</p>;
  const times = Float64Array.from(bands.table("buckets").numbers("to"));
  const bucket = Math.min(lastAtMost(times, t - 1, 0, times.length) + 1, times.length - 1);
  return (
    <div class="summary">
      <p class="dim">live at {(times[bucket] ?? 0).toLocaleString("en")}; a click draws them</p>
      <Groups
        controller={controller}
        title="by type"
        groups={types(bands, times.length)}
        bucket={bucket}
      />
      <Groups
        controller={controller}
        title="by allocation site"
        groups={sites(bands, times.length, controller)}
        bucket={bucket}
      />
    </div>
  );
}

function Groups({
  controller,
  title,
  groups,
  bucket,
}: {
  controller: Controller;
  title: string;
  groups: Group[];
  bucket: number;
}) {
  const sorted = [...groups].sort(
    (a, b) => (b.bytes[bucket] as number) - (a.bytes[bucket] as number),
  );
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{title}</th>
          <th scope="col">nodes</th>
          <th scope="col">bytes</th>
          <th scope="col">over time</th>
        </tr>
      </thead>
      <tbody>
        {sorted.slice(0, 40).map((group) => (
          <tr key={group.name}>
            <th scope="row">
              {group.scope ? (
                <button class="link" onClick={() => void controller.begin(group.scope as Scope)}>
                  {group.name}
                </button>
              ) : (
                group.name
              )}
            </th>
            <td>{(group.nodes[bucket] as number).toLocaleString("en")}</td>
            <td>{(group.bytes[bucket] as number).toLocaleString("en")}</td>
            <td>
              <Spark values={group.bytes} at={bucket} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spark({ values, at }: { values: Float64Array; at: number }) {
  const most = values.reduce((a, b) => Math.max(a, b), 1);
  const x = (index: number) => (index / Math.max(values.length - 1, 1)) * 70;
  const step = Math.max(1, Math.floor(values.length / 140));
  const points: string[] = [];
  for (let index = 0; index < values.length; index += step) {
    points.push(
      `${x(index).toFixed(1)},${(17 - ((values[index] as number) / most) * 15).toFixed(1)}`,
    );
  }
  return (
    <svg class="spark" width="72" height="18" aria-hidden="true">
      <polyline points={points.join(" ")} />
      <line x1={x(at)} x2={x(at)} y1="0" y2="18" />
    </svg>
  );
}

function types(bands: Columns, buckets: number): Group[] {
  const texts = bands.table("by_type").texts("type");
  return groups(bands, "by_type", buckets, (row) => {
    const type = texts(row);
    return { name: type ?? "unknown type", scope: type === null ? null : { kind: "type", type } };
  });
}

function sites(bands: Columns, buckets: number, { story }: Controller): Group[] {
  const ids = bands.table("by_site").numbers("site");
  return groups(bands, "by_site", buckets, (row) => {
    const site = ids[row] as number;
    const known = story.site(site);
    return { name: known?.text ?? "unknown site", scope: known ? { kind: "site", site } : null };
  });
}

function groups(
  bands: Columns,
  name: string,
  buckets: number,
  key: (row: number) => { name: string; scope: Scope | null },
): Group[] {
  const table = bands.table(name);
  const bucket = table.numbers("bucket");
  const [nodes, bytes] = [table.numbers("live_nodes"), table.numbers("live_bytes")];
  const other = table.numbers("other");
  const found = new Map<string, Group>();
  for (let row = 0; row < table.rows; row++) {
    const { name: group, scope } = other[row] ? { name: "all others", scope: null } : key(row);
    const known = found.get(group) ?? {
      name: group,
      scope,
      nodes: new Float64Array(buckets),
      bytes: new Float64Array(buckets),
    };
    found.set(group, known);
    const at = bucket[row] as number;
    known.nodes[at] = (known.nodes[at] as number) + (nodes[row] as number);
    known.bytes[at] = (known.bytes[at] as number) + (bytes[row] as number);
  }
  return [...found.values()];
}
