import type { Layout, Placed } from "../model/layout";

/** Returns where an arrow key leads: parent, first child, or the next box of the same column; Home is the application. */
export function move(layout: Layout, here: Placed, key: string): Placed | undefined {
  switch (key) {
    case "ArrowLeft":
      return here.node.parent && layout.byId.get(here.node.parent.id);
    case "ArrowRight":
      return here.node.children[0] && layout.byId.get(here.node.children[0].id);
    case "ArrowUp":
      return nearest(layout, here, -1);
    case "ArrowDown":
      return nearest(layout, here, 1);
    case "Home":
      return layout.placed[0];
    default:
      return undefined;
  }
}

function nearest(layout: Layout, here: Placed, direction: 1 | -1): Placed | undefined {
  const candidates = layout.placed.filter(({ x, y }) => x === here.x && (y - here.y) * direction > 0);
  return candidates.reduce<Placed | undefined>((best, each) => (best && Math.abs(best.y - here.y) <= Math.abs(each.y - here.y) ? best : each), undefined);
}
