const LONGEST = 2048;

/** Returns a path of this UI to go to after the sign-in; anything else becomes the first page. */
export function returnPath(text: string | undefined): string {
  const isPath = text !== undefined && text.length <= LONGEST && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !/[\\"<>]/.test(text);
  return isPath && !/^\/(auth\/|sign-in)/.test(text) ? text : "/";
}
