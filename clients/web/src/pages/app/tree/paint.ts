import { states } from "@/words";
import { isBroken, resourceState } from "../model/resource";
import { BOX_HEIGHT, BOX_WIDTH, type Layout, type Placed } from "../model/layout";
import { type Camera, isInside, READABLE, type Rectangle, type Size } from "./camera";

/** The colours of the theme, read from elements that have them. */
export type Palette = Record<"edge" | "thin" | "box" | "ok" | "bad" | "warn" | "accent" | "missing" | "unknown", string>;

/** Reads the palette from the children of an element whose data-tone names them. */
export function readPalette(element: Element): Palette {
  const colours = [...element.children].map((child) => [child.getAttribute("data-tone"), getComputedStyle(child).color] as const);
  return Object.fromEntries(colours) as Palette;
}

/** Draws all edges that are in view, and the boxes where they are too small to read. */
export function paint(canvas: HTMLCanvasElement, layout: Layout, camera: Camera, view: Size, window: Rectangle, palette: Palette) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const scale = devicePixelRatio || 1;
  if (canvas.width !== Math.round(view.width * scale) || canvas.height !== Math.round(view.height * scale)) {
    canvas.width = Math.round(view.width * scale);
    canvas.height = Math.round(view.height * scale);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, view.width, view.height);
  context.setTransform(scale * camera.zoom, 0, 0, scale * camera.zoom, scale * camera.x, scale * camera.y);
  paintEdges(context, layout, camera, window, palette);
  if (camera.zoom < READABLE) paintBoxes(context, layout, window, palette);
}

function paintEdges(context: CanvasRenderingContext2D, layout: Layout, camera: Camera, window: Rectangle, palette: Palette) {
  context.beginPath();
  for (const placed of layout.placed) for (const child of placed.node.children) addEdge(context, placed, layout.byId.get(child.id), window);
  context.strokeStyle = palette.edge;
  context.lineWidth = Math.max(1.25, 0.6 / camera.zoom);
  context.stroke();
  context.beginPath();
  for (const placed of layout.placed) for (const owner of placed.node.otherOwners) addEdge(context, layout.byId.get(owner), placed, window);
  context.setLineDash([4, 4]);
  context.lineWidth = 1;
  context.strokeStyle = palette.thin;
  context.stroke();
  context.setLineDash([]);
}

/** An edge with rounded corners, from the right side of the owner to the left side of the owned. */
function addEdge(context: CanvasRenderingContext2D, from: Placed | undefined, to: Placed | undefined, window: Rectangle) {
  if (!from || !to || !isEdgeInside(from, to, window)) return;
  const startX = from.x + BOX_WIDTH;
  const startY = from.y + BOX_HEIGHT / 2;
  const endY = to.y + BOX_HEIGHT / 2;
  const middle = startX + (to.x - startX) / 2;
  const radius = Math.min(8, Math.abs(endY - startY) / 2);
  context.moveTo(startX, startY);
  context.arcTo(middle, startY, middle, endY, radius);
  context.arcTo(middle, endY, to.x, endY, radius);
  context.lineTo(to.x, endY);
}

function isEdgeInside(from: Placed, to: Placed, { x, y, width, height }: Rectangle): boolean {
  const top = Math.min(from.y, to.y);
  const bottom = Math.max(from.y, to.y) + BOX_HEIGHT;
  return to.x >= x && from.x <= x + width && bottom >= y && top <= y + height;
}

function paintBoxes(context: CanvasRenderingContext2D, layout: Layout, window: Rectangle, palette: Palette) {
  for (const placed of layout.placed) {
    if (!isInside(placed, window)) continue;
    const { resource, set } = placed.node;
    const state = set ? "healthy" : resource && resourceState(resource);
    const tone = resource && isBroken(resource) && (!state || state === "healthy") ? "warn" : state ? states[state].tone : "unknown";
    context.fillStyle = palette.box;
    context.fillRect(placed.x, placed.y, BOX_WIDTH, BOX_HEIGHT);
    context.fillStyle = palette[tone];
    context.fillRect(placed.x, placed.y, tone === "ok" || tone === "unknown" ? 20 : BOX_WIDTH, BOX_HEIGHT);
  }
}
