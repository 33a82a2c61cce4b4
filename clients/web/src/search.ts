/** The search parameters of the URL: plain words, none interpreted; unknown ones are kept. */
export type Search = Record<string, string | undefined>;

/** Reads search parameters as they stand; the last of equal names wins. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

/** Writes search parameters in a stable order of entry, with the signs of filters readable. */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = pairs.map(([name, value]) => `${encode(name)}=${encode(String(value))}`).join("&");
  return text && `?${text}`;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|2F|3A|2A|40)/g, decodeURIComponent).replaceAll("%20", "+");
}
