/**
 * The content security policy forbids style elements, which xterm writes. These functions hand it elements that feed constructed
 * style sheets instead.
 */
function sheetElement(): HTMLStyleElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = document.createElement("span");
  element.hidden = true;
  const remove = element.remove.bind(element);
  Object.defineProperties(element, {
    textContent: { set: (css: string) => sheet.replaceSync(css), get: () => "" },
    sheet: { value: sheet },
    remove: {
      value: () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
        remove();
      },
    },
  });
  return element as unknown as HTMLStyleElement;
}

/** Runs a function in which new style elements feed constructed sheets. */
export function withoutStyleElements<T>(run: () => T): T {
  const original = document.createElement;
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    if (name.toLowerCase() !== "style") return original.call(this, name, options);
    document.createElement = original;
    const element = sheetElement();
    document.createElement = replaced;
    return element;
  } as typeof document.createElement;
  const replaced = document.createElement;
  try {
    return run();
  } finally {
    document.createElement = original;
  }
}
