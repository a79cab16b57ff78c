// Graphviz, away from the page's own thread.
import { instance } from "@viz-js/viz";

interface Request {
  number: number;
  dot: string;
}

const graphviz = instance();

self.onmessage = async (event: MessageEvent<Request>) => {
  const { number, dot } = event.data;
  try {
    const answer = (await graphviz).renderString(dot, { format: "json", engine: "dot" });
    self.postMessage({ number, answer });
  } catch (error) {
    self.postMessage({ number, error: String(error) });
  }
};
