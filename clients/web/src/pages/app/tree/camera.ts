import { BOX_HEIGHT, BOX_WIDTH, type Layout, type Placed } from "../model/layout";

/** Where the tree is seen from: its origin's place on the screen, and the zoom. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Rectangle extends Size {
  x: number;
  y: number;
}

const SMALLEST = 0.02;
const LARGEST = 2;
const MARGIN = 24;
/** Text below this zoom cannot be read; boxes are then drawn on the canvas. */
export const READABLE = 0.45;

/** Shows the whole tree, no larger than its natural size. */
export function fit(layout: Layout, view: Size): Camera {
  const room = { width: Math.max(1, view.width - 2 * MARGIN), height: Math.max(1, view.height - 2 * MARGIN) };
  const zoom = clamp(Math.min(room.width / layout.width, room.height / layout.height, 1));
  const isLow = layout.height * zoom < room.height;
  return { zoom, x: MARGIN, y: isLow ? Math.max(MARGIN, Math.min((view.height - layout.height * zoom) / 2, 80)) : MARGIN };
}

/** Centres one box at a zoom in which it can be read. */
export function centre({ x, y }: Placed, view: Size, zoom: number): Camera {
  const readable = Math.max(zoom, 0.8);
  return { zoom: readable, x: view.width / 2 - (x + BOX_WIDTH / 2) * readable, y: view.height / 2 - (y + BOX_HEIGHT / 2) * readable };
}

/** Moves the camera only as far as a box needs to be in view. */
export function reveal(camera: Camera, { x, y }: Placed, view: Size): Camera {
  if (camera.zoom < READABLE) return centre({ x, y } as Placed, view, camera.zoom);
  const left = camera.x + x * camera.zoom;
  const top = camera.y + y * camera.zoom;
  const shiftX = inside(left, BOX_WIDTH * camera.zoom, view.width);
  const shiftY = inside(top, BOX_HEIGHT * camera.zoom, view.height);
  return { ...camera, x: camera.x + shiftX, y: camera.y + shiftY };
}

function inside(start: number, length: number, room: number): number {
  if (start < MARGIN) return MARGIN - start;
  return Math.min(0, room - MARGIN - (start + length));
}

/** Zooms by a factor around a point of the screen. */
export function zoomAt(camera: Camera, factor: number, x: number, y: number): Camera {
  const zoom = clamp(camera.zoom * factor);
  const scale = zoom / camera.zoom;
  return { zoom, x: x - (x - camera.x) * scale, y: y - (y - camera.y) * scale };
}

/** Returns the part of the tree that is in view, with a margin, in steps so that it seldom changes. */
export function windowOf(camera: Camera, view: Size): Rectangle {
  const step = 400;
  const left = Math.floor((-camera.x / camera.zoom - step / 2) / step) * step;
  const top = Math.floor((-camera.y / camera.zoom - step / 2) / step) * step;
  const right = Math.ceil(((view.width - camera.x) / camera.zoom + step / 2) / step) * step;
  const bottom = Math.ceil(((view.height - camera.y) / camera.zoom + step / 2) / step) * step;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Moves the camera so that what is read stays in its place when the tree changes. */
export function keepInPlace(camera: Camera, before: Layout, after: Layout, view: Size): Camera {
  const middle = { x: (view.width / 2 - camera.x) / camera.zoom, y: (view.height / 2 - camera.y) / camera.zoom };
  const distance = ({ x, y }: Placed) => Math.abs(x + BOX_WIDTH / 2 - middle.x) + Math.abs(y + BOX_HEIGHT / 2 - middle.y);
  let anchor: Placed | undefined;
  for (const placed of before.placed) if (after.byId.has(placed.node.id) && (!anchor || distance(placed) < distance(anchor))) anchor = placed;
  const now = anchor && after.byId.get(anchor.node.id);
  if (!anchor || !now) return camera;
  return { ...camera, x: camera.x + (anchor.x - now.x) * camera.zoom, y: camera.y + (anchor.y - now.y) * camera.zoom };
}

export function isInside({ x, y }: { x: number; y: number }, rectangle: Rectangle): boolean {
  return x + BOX_WIDTH >= rectangle.x && x <= rectangle.x + rectangle.width && y + BOX_HEIGHT >= rectangle.y && y <= rectangle.y + rectangle.height;
}

function clamp(zoom: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, zoom));
}
