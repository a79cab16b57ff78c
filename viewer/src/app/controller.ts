// What a person can do, wherever it was asked for: keys, clicks and the address end up here.
import { LayoutWorker } from "../layout/layout";
import { lastAtMost } from "../model/search";
import type { Change } from "../model/timeline";
import { Links, type Stretch } from "../scope/links";
import { drawn, union } from "../scope/picture";
import { rowsOf } from "../scope/rows";
import { starts, type Scope } from "../scope/starts";
import { MORE, NOBODY } from "../scope/visible";
import type { Store } from "./store";
import type { Story } from "./story";

const PLAY_MILLISECONDS = 350;
const BUCKETS = 600;
const FEW = 20; // starts that stand before a selected node: they say which way a list runs

export class Controller {
  private layouts = 0;
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    readonly story: Story,
    readonly store: Store,
    private readonly worker: LayoutWorker,
  ) {}

  get state() {
    return this.store.state;
  }

  /** Chooses, measures and lays out what is drawn, for the moment shown. */
  async draw(): Promise<void> {
    const number = ++this.layouts;
    this.store.set({ busy: "laying out" });
    try {
      const picture = this.choose();
      const layout = await this.worker.layout(union(picture));
      if (number === this.layouts) this.store.set({ picture: { ...picture, layout }, busy: null });
    } catch (error) {
      if (number === this.layouts) this.fail(error);
    }
  }

  private choose() {
    const { story, state } = this;
    const links = new Links(story.window, this.stretch());
    const wanted = starts(links, story.head, state.scope);
    const selected = state.node === null ? -1 : story.window.row(state.node);
    const first = selected < 0 ? wanted : [...wanted.slice(0, FEW), selected, ...wanted.slice(FEW)];
    return drawn(links, { starts: first, budget: state.budget, opened: state.opened });
  }

  private stretch(): Stretch {
    const { window } = this.story;
    const [first, last] = this.state.shown;
    const inside = (t: number) => Math.min(Math.max(t, window.from), window.to);
    return {
      first: inside(Math.floor(first)),
      last: inside(Math.ceil(last)),
      at: inside(this.state.t),
    };
  }

  async loadBands(): Promise<void> {
    try {
      const bands = await this.story.source.bands({ buckets: BUCKETS });
      this.story.sites.add(bands);
      this.store.set({ bands });
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    this.store.set({ busy: null, message: error instanceof Error ? error.message : String(error) });
  }

  goTo(t: number): void {
    const { head } = this.story;
    const moment = Math.min(Math.max(Math.round(t), 0), head.last);
    const outside = moment < this.story.window.from || moment > this.story.window.to;
    const message = outside ? `the graph at ${moment} was left out of this file` : null;
    const [first, last] = this.state.shown;
    const width = last - first;
    const shown: [number, number] =
      moment < first
        ? [moment, moment + width]
        : moment > last
          ? [moment - width, moment]
          : this.state.shown;
    this.store.set({ t: moment, message, shown });
  }

  select(node: number | null, offset: number | null = null): void {
    this.store.set({ node, offset, panel: node === null ? this.state.panel : "node" });
  }

  /** Selects a node and brings it into the picture if it is not in it. */
  async reveal(node: number, offset: number | null = null): Promise<void> {
    try {
      await this.story.complete();
      if (this.story.window.row(node) < 0 && this.story.head.serve) {
        this.story.use(await this.story.source.window({ start: [node] }));
      }
    } catch (error) {
      this.fail(error);
    }
    this.select(node, offset);
    const { picture } = this.state;
    if (!picture?.ids.has(node)) await this.draw();
  }

  async begin(scope: Scope): Promise<void> {
    try {
      await this.story.complete();
      if (this.story.head.serve) this.story.use(await this.story.source.window(query(scope)));
      this.store.set({ scope, opened: new Map() });
      await this.draw();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Shows more of what is folded behind a node, or of what the picture begins with. */
  async open(node: number): Promise<void> {
    const opened = new Map(this.state.opened);
    if (node !== NOBODY) opened.set(node, (opened.get(node) ?? 0) + MORE);
    this.store.set({ opened, budget: this.state.budget + MORE });
    await this.draw();
  }

  /** The next or previous node of the picture that is there now. */
  selectNext(direction: 1 | -1): void {
    const { picture, node, t } = this.state;
    if (!picture) return;
    const { window } = picture;
    const there = picture.boxes.map((box) => box.node).filter((row) => window.isThere(row, t));
    const ids = there.map((row) => window.nodes.id[row] as number);
    if (ids.length === 0) return;
    const here = node === null ? -1 : ids.indexOf(node);
    const next =
      here < 0 && direction < 0 ? ids.length - 1 : (here + direction + ids.length) % ids.length;
    this.select(ids[next] as number);
  }

  selectField(direction: 1 | -1): void {
    const { node, offset } = this.state;
    const row = node === null ? -1 : this.story.window.row(node);
    if (row < 0) return this.selectNext(1);
    const offsets = rowsOf(this.story.window, row).map((each) => each.offset);
    const here = offset === null ? -1 : offsets.indexOf(offset);
    const next = here < 0 && direction < 0 ? offsets.length - 1 : here + direction;
    if (next >= 0 && next < offsets.length) this.select(node, offsets[next] as number);
  }

  /** Selects the node that the selected field leads to. */
  followPointer(): void {
    const { node, offset, t } = this.state;
    const { window } = this.story;
    const field = node === null || offset === null ? -1 : window.field(window.row(node), offset);
    const version = field < 0 ? -1 : window.version(field, t);
    const target = version < 0 ? -1 : (window.versions.target[version] as number);
    if (target < 0) this.store.set({ message: "no pointer is selected" });
    else void this.reveal(target);
  }

  openSelected(): void {
    if (this.state.node === null) this.store.set({ message: "select a node first" });
    else void this.open(this.state.node);
  }

  focusSelected(): void {
    const { node } = this.state;
    if (node === null) this.store.set({ message: "select a node first" });
    else void this.begin({ kind: "node", node });
  }

  escape(): void {
    const { help, message, line, against } = this.state;
    if (help || message) this.store.set({ help: false, message: null });
    else if (line) this.store.set({ line: null });
    else if (against !== null) this.store.set({ against: null });
    else this.select(null);
  }

  /** The next or previous change of what is drawn. */
  step(direction: 1 | -1): void {
    const moments = this.state.picture?.moments;
    if (!moments) return;
    const here = lastAtMost(
      moments,
      direction > 0 ? this.state.t : this.state.t - 1,
      0,
      moments.length,
    );
    const next = moments[direction > 0 ? here + 1 : here];
    if (next === undefined) this.stop();
    else this.goTo(next);
  }

  /** The next or previous change of the node or field that is selected. */
  stepSelected(direction: 1 | -1): void {
    const { node, offset } = this.state;
    if (node === null) return this.store.set({ message: "select a node first" });
    const { window } = this.story;
    const row = window.row(node);
    const field = offset === null ? -1 : window.field(row, offset);
    const what = offset === null ? "node" : "field";
    this.follow(direction, `change of this ${what}`, (change) =>
      field < 0 ? change.node === row : change.field === field,
    );
  }

  /** The next or previous change that the current line, or the chosen one, made. */
  stepLine(direction: 1 | -1): void {
    const line = this.state.line ?? this.currentLine();
    if (!line) return this.store.set({ message: "no source line is known here" });
    const sites = this.story.sites.ofLine(line.path, line.line);
    this.follow(direction, `change by line ${line.line}`, (change) => sites.has(change.site));
  }

  private follow(direction: 1 | -1, what: string, wanted: (change: Change) => boolean): void {
    const next = this.story.timeline.next(this.state.t, direction, wanted);
    if (next === null)
      this.store.set({ message: `no ${direction > 0 ? "later" : "earlier"} ${what}` });
    else this.goTo(next);
  }

  currentChange(): Change | null {
    const { nodes } = this.story.window;
    const drawn = this.state.picture?.ids;
    return this.story.timeline.current(
      this.state.t,
      (node) => drawn?.has(nodes.id[node] as number) ?? true,
    );
  }

  private currentLine(): { path: string; line: number } | null {
    const site = this.story.site(this.currentChange()?.site ?? -1);
    return site?.path ? { path: site.path, line: site.line } : null;
  }

  /** The first C-point at which a constraint did not hold, or the first finding with a moment. */
  firstBad(): void {
    const moments = this.story.head.findings.map((finding, index) => {
      return { index, moment: finding.cpoint ?? finding.ts };
    });
    moments.sort((a, b) => (a.moment ?? Infinity) - (b.moment ?? Infinity));
    const first = moments[0];
    if (!first || first.moment === null) this.store.set({ message: "no finding has a moment" });
    else void this.followFinding(first.index, first.moment);
  }

  /** To what a finding is about: its moment, its node, its field. */
  async followFinding(index: number, moment?: number): Promise<void> {
    const finding = this.story.head.findings[index];
    if (!finding) return;
    const t = moment ?? finding.ts ?? finding.cpoint;
    if (t !== null) this.goTo(t);
    if (finding.node !== null) await this.reveal(finding.node, finding.offset);
    this.store.set({ panel: "findings" });
  }

  togglePlay(): void {
    if (this.timer) return this.stop();
    this.store.set({ playing: true });
    this.timer = setInterval(() => this.step(1), PLAY_MILLISECONDS);
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    this.store.set({ playing: false });
  }

  toggleCompare(): void {
    this.store.set({ against: this.state.against === null ? this.state.t : null });
  }

  zoom(factor: number, around = this.state.t): void {
    const [first, last] = this.state.shown;
    const { head } = this.story;
    const width = Math.min(Math.max((last - first) * factor, 4), Math.max(head.last, 1));
    const part = last > first ? (around - first) / (last - first) : 0.5;
    const start = Math.min(Math.max(around - part * width, 0), Math.max(0, head.last - width));
    this.store.set({ shown: [start, start + width] });
  }

  pan(by: number): void {
    const [first, last] = this.state.shown;
    const start = Math.min(Math.max(first + by, 0), this.story.head.last - (last - first));
    this.store.set({ shown: [start, start + last - first] });
  }
}

function query(scope: Scope) {
  switch (scope.kind) {
    case "roots":
      return {};
    case "type":
      return { type: scope.type };
    case "site":
      return { site: scope.site };
    case "node":
      return { start: [scope.node] };
  }
}
