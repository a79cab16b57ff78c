// Words for building SVG.
const SPACE = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number>;

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: SVGElement[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

export function text(attributes: Attributes, content: string): SVGTextElement {
  const element = svg("text", attributes);
  element.textContent = content;
  return element;
}

/** The first characters of a text that is too long. */
export function shortened(content: string, most: number): string {
  return content.length <= most ? content : `${content.slice(0, Math.max(1, most - 1))}…`;
}

/** The end of a long name: what it begins with, its neighbours have too. */
export function shortenedFront(content: string, most: number): string {
  return content.length <= most ? content : `…${content.slice(1 - Math.max(most, 2))}`;
}
