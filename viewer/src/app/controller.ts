// What a person can do, wherever it was asked for: keys, clicks and the address end up here.
import { LayoutWorker } from "../layout/layout";
import type { Head } from "../model/head";
import type { WindowQuery } from "../model/source";
import { during } from "../model/work";
import { Links, type Stretch } from "../scope/links";
import { drawn, union } from "../scope/picture";
import { rowsOf } from "../scope/rows";
import { starts, type Scope } from "../scope/starts";
import { MORE, NOBODY } from "../scope/visible";
import type { State, Store } from "./store";
import { around, type Story } from "./story";
import { Travel } from "./travel";

const BUCKETS = 600;
const PAUSE_MILLISECONDS = 1000;
type Selection = Pick<State, "node" | "offset">;

const FEW = 20; // starts that stand before a selected node: they say which way a list runs

export class Controller {
  readonly time: Travel;
  private layouts = 0;
  private fetches = 0;

  constructor(
    readonly story: Story,
    readonly store: Store,
    private readonly worker: LayoutWorker,
  ) {
    this.time = new Travel(story, store, () => void this.follow());
  }

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

  /** A server goes on counting what statements changed: it is asked again until it has done so. */
  async loadBands(): Promise<void> {
    try {
      const bands = await this.story.source.bands({ buckets: BUCKETS });
      this.story.sites.add(bands);
      this.store.set({ bands });
      if (bands.header.complete === false) void during(pause().then(() => this.loadBands()));
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    this.store.set({ busy: null, message: error instanceof Error ? error.message : String(error) });
  }

  /** What is shown, from the server, at another moment or with more of it. */
  private async loadShown({ node, offset }: Selection = this.state): Promise<boolean> {
    const asked = query(this.state.scope, this.story.head);
    if (node === null) return this.load(asked);
    const words: [number, number][] = offset === null ? [] : [[node, offset]];
    return this.load({ ...asked, start: [node, ...(asked.start ?? [])], words });
  }

  /** A window of the moment shown from the server; false: something else was asked for since. */
  private async load(asked: WindowQuery): Promise<boolean> {
    const number = ++this.fetches;
    const { head, source } = this.story;
    const { t, opened } = this.state;
    this.store.set({ busy: "reading" });
    const columns = await source.window({ ...around(head, t), at: t, opened, ...asked });
    if (number !== this.fetches) return false;
    this.story.use(columns);
    this.store.set({ busy: null });
    return true;
  }

  private async follow(): Promise<void> {
    try {
      if (await this.loadShown()) await this.draw();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The first picture: of the moment and the scope that the address of the page names. */
  async start(): Promise<void> {
    const { t, scope } = this.state;
    const { head, window } = this.story;
    if (head.serve && !(window.covers(t) && scope.kind === "roots")) await this.follow();
    else await this.draw();
  }

  select(node: number | null, offset: number | null = null): void {
    this.store.set({ node, offset, panel: node === null ? this.state.panel : "node" });
  }

  /** Selects a node and brings it into the picture if it is not in it. */
  async reveal(node: number, offset: number | null = null): Promise<void> {
    try {
      await this.story.complete();
      if (this.story.head.serve && this.isMissing(node, offset)) {
        await this.loadShown({ node, offset });
      }
    } catch (error) {
      this.fail(error);
    }
    this.select(node, offset);
    const { picture } = this.state;
    if (!picture?.ids.has(node)) await this.draw();
  }

  /** Whether a node, or this word of it, was not sent. */
  private isMissing(node: number, offset: number | null): boolean {
    const { window } = this.story;
    const row = window.row(node);
    if (row < 0) return true;
    const isCut = (window.nodes.wordsLeftOut[row] as number) > 0;
    return offset !== null && isCut && window.field(row, offset) < 0;
  }

  async begin(scope: Scope): Promise<void> {
    try {
      await this.story.complete();
      const { head } = this.story;
      if (head.serve) await this.load({ ...query(scope, head), opened: new Map() });
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
    try {
      await this.story.complete();
      if (this.story.head.serve && this.isCut(node)) await this.loadShown();
    } catch (error) {
      this.fail(error);
    }
    await this.draw();
  }

  /** Whether there is more of a node, or behind it, than was sent. */
  private isCut(node: number): boolean {
    const { window } = this.story;
    const row = window.row(node);
    return (window.nodes.more[row] ?? 0) > 0 || (window.nodes.wordsLeftOut[row] ?? 0) > 0;
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
    // What is asked of a server for the moment is to have the node in it.
    if (finding.node !== null) this.select(finding.node, finding.offset);
    if (t !== null) this.time.goTo(t);
    if (finding.node !== null) await this.reveal(finding.node, finding.offset);
    this.store.set({ panel: "findings" });
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
}

function query(scope: Scope, head: Head): WindowQuery {
  switch (scope.kind) {
    case "roots":
      return { start: head.start };
    case "type":
      return { type: scope.type };
    case "site":
      return { site: scope.site };
    case "node":
      return { start: [scope.node] };
  }
}
