// Moving through time: to a moment, to the next change of something, by itself.
import { lastAtMost } from "../model/search";
import type { Change } from "../model/timeline";
import { changeOf, nextOfNode, nextOfSite, type Beyond } from "./beyond";
import type { Store } from "./store";
import type { Story } from "./story";

const PLAY_MILLISECONDS = 350;

export class Travel {
  private timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    private readonly story: Story,
    private readonly store: Store,
    /** Asks a server for the window of the moment, which is not in this one. */
    private readonly onOutside: () => void,
  ) {}

  private get state() {
    return this.store.state;
  }

  goTo(t: number): void {
    const { head } = this.story;
    const moment = Math.min(Math.max(Math.round(t), 0), head.last);
    const { from, to } = this.story.window;
    const isOutside = moment < from || moment > to;
    const message =
      isOutside && !head.serve ? `the graph at ${moment} was left out of this file` : null;
    const [first, last] = this.state.shown;
    const width = last - first;
    const shown: [number, number] =
      moment < first
        ? [moment, moment + width]
        : moment > last
          ? [moment - width, moment]
          : this.state.shown;
    this.store.set({ t: moment, message, shown });
    if (isOutside && head.serve) this.onOutside();
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
    const { head, window } = this.story;
    const beyond = direction > 0 ? window.to + 1 : window.from - 1;
    if (next !== undefined) this.goTo(next);
    else if (head.serve && beyond >= 0 && beyond <= head.last) this.goTo(beyond);
    else this.stop();
  }

  /** The next or previous change of the node or field that is selected. */
  stepSelected(direction: 1 | -1): void {
    const { node, offset } = this.state;
    if (node === null) return this.store.set({ message: "select a node first" });
    const what = `change of this ${offset === null ? "node" : "field"}`;
    const here = this.story.timeline.next(
      this.state.t,
      direction,
      changeOf(this.story.window, node, offset),
    );
    if (here === null && this.story.head.serve)
      void this.beyond(() => nextOfNode(this.story, node, offset, direction), direction, what);
    else this.arrive(here, direction, what);
  }

  /** The next or previous change that the current line, or the chosen one, made. */
  stepLine(direction: 1 | -1): void {
    const line = this.state.line ?? this.currentLine();
    if (!line) return this.store.set({ message: "no source line is known here" });
    const sites = this.story.sites.ofLine(line.path, line.line);
    const { t } = this.state;
    const what = `change by line ${line.line}`;
    const [site] = sites;
    // A server knows those of nodes that are not in the window, too.
    if (this.story.head.serve && site !== undefined)
      void this.beyond(() => nextOfSite(this.story, site, t, direction), direction, what);
    else
      this.arrive(
        this.story.timeline.next(t, direction, (change) => sites.has(change.site)),
        direction,
        what,
      );
  }

  /** Asks the server. */
  private async beyond(ask: () => Promise<Beyond>, direction: 1 | -1, what: string): Promise<void> {
    const { t } = this.state;
    this.store.set({ busy: "searching" });
    try {
      const { found, until } = await ask();
      this.store.set({ busy: null });
      if (this.state.t === t) this.arrive(found, direction, what, until);
    } catch (error) {
      this.store.set({
        busy: null,
        message: String(error instanceof Error ? error.message : error),
      });
    }
  }

  /** `until`: how far it was searched, if not to the end. */
  private arrive(
    next: number | null,
    direction: 1 | -1,
    what: string,
    until: number | null = this.edge(direction),
  ): void {
    if (next !== null) return this.goTo(next);
    const where = until === null ? "" : ` as far as timestamp ${until.toLocaleString("en")}`;
    this.store.set({ message: `no ${direction > 0 ? "later" : "earlier"} ${what}${where}` });
  }

  /** Where the window ends, if time goes on there. */
  private edge(direction: 1 | -1): number | null {
    const { window, head } = this.story;
    if (direction > 0) return window.to < head.last ? window.to : null;
    return window.from > 0 ? window.from : null;
  }

  /** What happened at the moment. */
  currentChange(): Change | null {
    const { nodes } = this.story.window;
    const { picture, t } = this.state;
    return this.story.timeline.current(
      t,
      (node) => picture?.told.has(nodes.id[node] as number) ?? true,
      picture?.moments ?? [],
    );
  }

  private currentLine(): { path: string; line: number } | null {
    const site = this.story.site(this.currentChange()?.site ?? -1);
    return site?.path ? { path: site.path, line: site.line } : null;
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
