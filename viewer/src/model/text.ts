// Names, paths and strings of a program are data: what would turn or hide text is made visible.

/** Control characters, marks of writing direction and of invisible joins, by their numbers. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

export function plainText(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const number = (character.codePointAt(0) as number).toString(16).padStart(4, "0");
    return `\\u${number}`;
  });
}
