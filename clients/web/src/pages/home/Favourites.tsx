/** Placeholder until preferences are read by the data layer. */
export function Favourites() {
  return null;
}
